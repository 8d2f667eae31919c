// SPDX-License-Identifier: BSD-3-Clause
#include "cli/serve/analyse.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <new>
#include <set>
#include <vector>

#include "cli/options.hpp"
#include "cli/report/kernel_report.hpp"
#include "cli/serve/confined.hpp"
#include "frontend/python/frontend.hpp"
#include "frontend/read.hpp"

namespace redblue::cli {

using namespace page;

namespace {

constexpr const char* service = "redblue serve";
constexpr std::int64_t usual_size = 40, usual_memory = 256;

const char* file_name(const std::string& language) {
  return language == "c" ? "kernel.c" : language == "c++" ? "kernel.cpp" : "kernel.py";
}

std::string line_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

void print_line(const Json& json) {
  fmt::print("{}", line_of(json));
  std::fflush(stdout);
}

bool is_text(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    const auto code = static_cast<unsigned char>(c);
    return code >= 0x20 ? code != 0x7F : c == '\n' || c == '\t' || c == '\r' || c == '\f';
  });
}

std::string standard_input() {
  std::string text;
  std::array<char, 65536> buffer{};
  ssize_t count = 0;
  while (text.size() <= most_request &&
         (count = read(STDIN_FILENO, buffer.data(), buffer.size())) > 0)
    text.append(buffer.data(), static_cast<std::size_t>(count));
  return text;
}

// The page without a file: Python as the C it stands for.
KernelReport report_of(const Json& asked) {
  KernelReport report;
  const std::string language = asked.at("language"), source = asked.at("source");
  report.request.sizes = sizes(asked.value("set", ""));
  report.no_graph = "redblue report draws it";
  if (language == "einsum") {
    report.request.einsum = source;
    reach_nothing();
    return report;
  }
  report.source = source;
  report.request.file = file_name(language);
  report.request.function = asked.value("function", "");
  std::string text = source;
  if (language == "python") {
    const auto c =
        frontend::python::translated(report.request.file, report.request.function, source);
    text = c.c;
    report.request.function = c.function;
  }
  frontend::stand_for_file(report.request.file, text);
  reach_nothing();
  return report;
}

// Sizes for those that nobody gave.
void complete_sizes(KernelReport& report, const BoundedProgram& program) {
  auto& sizes = report.request.sizes;
  for (const std::string& name : program.parameters()) sizes.emplace(name, usual_size);
  sizes.emplace("S", usual_memory);
  std::string set;
  for (const auto& [name, size] : sizes)
    if (name != "S") set += (set.empty() ? "" : ",") + name + "=" + std::to_string(size);
  print_line({{"part", "sizes"},
              {"set", set},
              {"S", sizes.at("S")},
              {"parameters", program.parameters()}});
}

Json sections_of(const Page& page, const std::set<std::string>& wanted) {
  Json sections = Json::array();
  for (const Page::Section& s : page.sections())
    if (wanted.contains(s.id))
      sections.push_back({{"id", s.id}, {"heading", s.heading}, {"html", s.content}});
  return sections;
}

Json part(const char* name, const KernelReport& report, const std::set<std::string>& sections) {
  const Page page = kernel_page(report);
  return {{"part", name},
          {"title", page.title()},
          {"lead", page.lead()},
          {"figures", page.figures_html()},
          {"sections", sections_of(page, sections)}};
}

// From the smallest memory there can be to one that holds everything, in equal ratios.
std::vector<std::int64_t> memories_of(const KernelReport& report, int number) {
  double last = 4 * static_cast<double>(report.fast_memory());
  for (const LowerBound& b : report.bounds.bounds)
    if (b.method == "compulsory") last = std::max(last, 2 * b.value.value_or(0));
  const auto first = static_cast<double>(std::max<std::int64_t>(report.bounds.least_s, 1));
  last = std::clamp(last, 2 * first, 1e15);
  std::set<std::int64_t> memories = {report.fast_memory()};
  for (int i = 0; i < number; ++i)
    memories.insert(std::llround(first * std::pow(last / first, i / (number - 1.0))));
  return {memories.begin(), memories.end()};
}

void print_schedule(KernelReport& report) {
  if (report.schedule) report.picture.replays = {replayed(report.fast_memory(), *report.schedule)};
  const bool known = report.gap.upper.has_value();
  Json schedule = part("schedule", report, {"memory", "schedule", "code"});
  schedule["words"] = known ? Json(*report.gap.upper) : Json(nullptr);
  schedule["ratio"] =
      known ? ratio_json(static_cast<double>(*report.gap.upper), report.gap.lower) : Json(nullptr);
  print_line(schedule);
}

void print_parts(KernelReport& report) {
  using Clock = std::chrono::steady_clock;
  const BoundedProgram program(report.request);
  complete_sizes(report, program);
  const auto start = Clock::now();
  derive_bounds(report, program);
  const double took = std::chrono::duration<double>(Clock::now() - start).count();
  Json bound = part("bound", report, {"source", "derivation", "conditions", "bounds"});
  bound["words"] = report.best().value.value_or(0);
  bound["method"] = report.best().method;
  bound["leading"] = report.best().leading.text();
  print_line(bound);

  constexpr double seconds_for_curves = 2;
  constexpr int fewest = 6, most = 28;
  const int places = static_cast<int>(
      std::clamp(seconds_for_curves / std::max(took, 1e-3), double{fewest}, double{most}));
  BoundRequest over_s = report.request;
  over_s.sizes.erase("S");
  report.picture = memory_curves(program, over_s, report.bounds, memories_of(report, places));
  report.picture.marked = report.fast_memory();
  print_line({{"part", "curve"}, {"sections", sections_of(kernel_page(report), {"memory"})}});

  // A short search, and a longer one where there is time for it.
  constexpr double short_effort = 1, long_effort = 25, seconds_for_all = 6;
  const auto searched = Clock::now();
  search_schedule(report, short_effort);
  print_schedule(report);
  const auto now = Clock::now();
  const double took_short = std::chrono::duration<double>(now - searched).count();
  const double left = seconds_for_all - std::chrono::duration<double>(now - start).count();
  const double effort = std::min(long_effort, left / std::max(took_short, 1e-3));
  if (report.schedule && effort > 2 * short_effort && report.gap.upper.has_value() &&
      report.gap.ratio() > 1) {
    const std::int64_t before = report.gap.upper.value_or(0);
    search_schedule(report, effort);
    if (report.gap.upper.value_or(before) < before) print_schedule(report);
  }
  print_line({{"part", "done"}});
}

}  // namespace

std::string wrong_with(const std::string& request) {
  if (request.size() > most_request)
    return Error(service, fmt::format("a request of more than {} kB", most_request >> 10U),
                 "paste one kernel, or run redblue report on its file")
        .what();
  const Json json = Json::parse(request, nullptr, false);
  if (!json.is_object())
    return Error(service, "no request: not JSON in UTF-8", "send an object").what();
  for (const char* needed : {"language", "source", "set", "function"}) {
    const bool may_miss = std::string(needed) == "set" || std::string(needed) == "function";
    if (json.contains(needed) ? !json.at(needed).is_string() : !may_miss)
      return Error(service, fmt::format("'{}' is no text", needed), "send it as a string").what();
    if (json.contains(needed) && !is_text(json.at(needed).get<std::string>()))
      return Error(service, fmt::format("'{}' has control characters", needed), "take them out")
          .what();
  }
  const std::string language = json.at("language");
  if (language != "c" && language != "c++" && language != "python" && language != "einsum")
    return Error(service, "an unknown language", "choose c, c++, python or einsum").what();
  if (json.at("source").get<std::string>().find_first_not_of(" \t\r\n\f") == std::string::npos)
    return Error(service, "nothing to analyse", "paste a loop nest or an einsum").what();
  return "";
}

std::string error_line(const std::string& what) {
  std::string text = what;
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  constexpr std::size_t most = 600;
  if (text.size() > most) text = text.substr(0, most) + " ..";
  return line_of({{"error", text}});
}

int analyse_here(int seconds) {
  const auto fail = [](const std::string& what) {
    fmt::print("{}", error_line(what));
    std::fflush(stdout);
    return 2;
  };
  try {
    limit_resources(seconds);
    const std::string request = standard_input();
    if (const std::string wrong = wrong_with(request); !wrong.empty()) return fail(wrong);
    KernelReport report = report_of(Json::parse(request));
    print_parts(report);
    return 0;
  } catch (const Error& e) {
    return fail(e.what());
  } catch (const std::bad_alloc&) {
    return fail("this takes more memory than there is here; give smaller sizes");
  } catch (const std::exception&) {  // a library's own words help nobody
    return fail("this input is beyond what redblue can work out; please report it");
  }
}

}  // namespace redblue::cli
