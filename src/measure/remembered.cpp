// SPDX-License-Identifier: BSD-3-Clause
#include "measure/remembered.hpp"

#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "redblue/measure.hpp"
#include "schedule/choice/choice_text.hpp"

namespace redblue {

namespace measure_detail {

namespace {

// FNV-1a, the same everywhere.
std::string hashed(const std::string& text) {
  std::uint64_t hash = 14695981039346656037U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  std::ostringstream out;
  out << std::hex << hash;
  return out.str();
}

std::string file_of(const std::string& folder, const std::string& key) {
  return folder + "/measure-" + hashed(key) + ".txt";
}

constexpr const char* what = "# The best order that `redblue measure --search` found for:";

}  // namespace

std::string processor_name() {
  std::ifstream in("/proc/cpuinfo");
  const std::string key = "model name";
  for (std::string line; std::getline(in, line);) {
    const std::size_t colon = line.find(": ");
    if (line.rfind(key, 0) == 0 && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "";
}

std::optional<schedule::codegen::Choice> remembered(const std::string& folder,
                                                    const std::string& key) {
  if (folder.empty()) return std::nullopt;
  std::ifstream in(file_of(folder, key));
  std::string choice, comment;
  if (!std::getline(in, choice) || !std::getline(in, comment)) return std::nullopt;
  const std::string rest{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  if (rest != key) return std::nullopt;
  return schedule::codegen::choice_from(choice);
}

std::string remember(const std::string& folder, const std::string& key,
                     const schedule::codegen::Choice& choice) {
  if (folder.empty()) return "";
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  // Renamed when it is whole: another process may read it.
  const std::string file = file_of(folder, key);
  const std::string part = file + "." + std::to_string(getpid());
  std::ofstream out(part);
  out << text(choice) << '\n' << what << '\n' << key;
  out.close();
  const bool written = out.good();
  if (written) std::filesystem::rename(part, file, failed);
  if (written && !failed) return "";
  std::error_code ignored;
  std::filesystem::remove(part, ignored);
  return folder + ": the search's result cannot be kept there; let REDBLUE_CACHE_DIR name a folder";
}

}  // namespace measure_detail

std::string search_folder() {
  const auto value = [](const char* name) -> std::string {
    const char* text = std::getenv(name);
    return text == nullptr ? "" : text;
  };
  if (const std::string own = value("REDBLUE_CACHE_DIR"); !own.empty()) return own;
  if (const std::string all = value("XDG_CACHE_HOME"); !all.empty()) return all + "/redblue";
  if (const std::string home = value("HOME"); !home.empty()) return home + "/.cache/redblue";
  return "";
}

}  // namespace redblue
