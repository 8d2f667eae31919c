// SPDX-License-Identifier: BSD-3-Clause
#include "scalapack/serving/settings.hpp"

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace redblue::scalapack {

namespace {

std::vector<std::string> names_in(const std::string& list) {
  std::vector<std::string> names;
  std::istringstream in(list);
  for (std::string name; std::getline(in, name, ',');) {
    if (!name.empty()) names.push_back(name);
  }
  return names;
}

// The bytes that a letter after a number stands for; 0 where it stands for none.
double bytes_of_unit(const std::string& unit) {
  constexpr double kibi = 1024;
  if (unit.empty() || unit == "B") return 1;
  if (unit == "K") return kibi;
  if (unit == "M") return kibi * kibi;
  if (unit == "G") return kibi * kibi * kibi;
  return 0;
}

// The file of "html" and "html:FILE"; empty of anything else.
std::string page_of(const std::string& report) {
  const std::string html = "html";
  if (report == html || report == html + ":") return "redblue-report.html";
  return report.rfind(html + ":", 0) == 0 ? report.substr(html.size() + 1) : "";
}

}  // namespace

std::optional<MemoryLimit> memory_limit(const std::string& text) {
  constexpr double hundred = 100;
  constexpr double most_bytes = 9e18;
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  if (end == text.c_str() || !std::isfinite(number) || number < 0) return std::nullopt;
  const std::string unit = end;
  if (unit == "%") {
    if (number > hundred) return std::nullopt;
    return MemoryLimit{std::nullopt, number / hundred};
  }
  const double bytes = number * bytes_of_unit(unit);
  if (bytes_of_unit(unit) == 0 || bytes > most_bytes) return std::nullopt;
  return MemoryLimit{static_cast<std::int64_t>(bytes), 1};
}

Settings settings_of(const char* least_work, const char* memory, const char* off,
                     const char* report) {
  Settings result;
  result.page = page_of(report == nullptr ? "" : report);
  result.report = report != nullptr && result.page.empty();
  result.report_each_call = report != nullptr && std::string(report) == "calls";
  if (off != nullptr) result.off = names_in(off);
  if (least_work != nullptr) {
    char* end = nullptr;
    result.least_work = std::strtod(least_work, &end);
    if (end == least_work || *end != '\0') {
      result.fault = std::string("REDBLUE_MIN_WORK=") + least_work +
                     ": no number of multiplications; write 1e9, for example";
    }
  }
  if (memory != nullptr) {
    result.memory = memory_limit(memory);
    if (!result.memory) {
      result.fault = std::string("REDBLUE_MEMORY=") + memory +
                     ": neither bytes nor a share of what is free; write 512M or 25%, for example";
    }
  }
  return result;
}

const Settings& settings() {
  static const Settings instance =
      settings_of(std::getenv("REDBLUE_MIN_WORK"), std::getenv("REDBLUE_MEMORY"),
                  std::getenv("REDBLUE_OFF"), std::getenv("REDBLUE_REPORT"));
  return instance;
}

std::string without_type(const std::string& routine) {
  constexpr std::size_t p_and_type = 2;
  return routine.size() > p_and_type ? routine.substr(p_and_type) : routine;
}

std::optional<std::int64_t> free_bytes() {
  constexpr std::int64_t kibi = 1024;
  std::ifstream in("/proc/meminfo");
  for (std::string name, unit; in >> name;) {
    std::int64_t value = 0;
    if (!(in >> value)) break;
    std::getline(in, unit);
    if (name == "MemAvailable:") return value * kibi;
  }
  return std::nullopt;
}

}  // namespace redblue::scalapack
