// SPDX-License-Identifier: BSD-3-Clause
// Counting what stands in a file.
#include <algorithm>
#include <cmath>
#include <set>

#include "counting/count.hpp"
#include "frontend/llvm/program.hpp"
#include "frontend/llvm/run/instrument.hpp"
#include "redblue/counting.hpp"
#include "redblue/error.hpp"

namespace redblue {

namespace {

using Verdict = CheckedLoop::Verdict;
using frontend::llvm_ir::LoopRun;

// Decimal numbers of any length; `a` and `b` without leading zeros.
bool less(const std::string& a, const std::string& b) {
  const bool a_negative = a.front() == '-', b_negative = b.front() == '-';
  if (a_negative != b_negative) return a_negative;
  if (a_negative) return less(b.substr(1), a.substr(1));
  return a.size() != b.size() ? a.size() < b.size() : a < b;
}

Verdict verdict(const Count& count, std::int64_t ran) {
  if (!count.lower_value && !count.upper_value) return Verdict::not_compared;
  const std::string number = std::to_string(ran);
  if (count.lower_value && less(number, *count.lower_value)) return Verdict::wrong;
  if (count.upper_value && less(*count.upper_value, number)) return Verdict::wrong;
  return count.exact ? Verdict::equal : Verdict::within;
}

// A formula with unknowns, which take the mean of the run: iterations / entries of their loops.
// Where a loop has several unknowns (it is reached on several ways) they all take its mean, which
// is right for the loop itself only.
Verdict verdict_as_measured(const CountedPlace& place, const CountReport& report,
                            const std::map<std::string, std::int64_t>& sizes,
                            const std::map<int, LoopRun>& runs) {
  const std::vector<std::string> names = place.count.lower.names();
  const std::set<std::string> mentioned(names.begin(), names.end());
  std::map<std::string, double> values;
  for (const auto& [name, size] : sizes) values[name] = static_cast<double>(size);
  for (const Unknown& u : report.unknowns) {
    if (!mentioned.contains(u.name)) continue;
    const auto run = runs.find(u.loop);
    if (u.loop == 0 || run == runs.end() || !run->second.entered_most || run->second.entries == 0) {
      return Verdict::not_compared;
    }
    const auto same_loop =
        std::count_if(report.unknowns.begin(), report.unknowns.end(),
                      [&u](const Unknown& other) { return other.loop == u.loop; });
    if (same_loop > 1 && u.loop != place.id) return Verdict::not_compared;
    values[u.name] =
        static_cast<double>(run->second.iterations) / static_cast<double>(run->second.entries);
  }
  for (const std::string& name : report.parameters) {
    if (!values.contains(name) && mentioned.contains(name)) return Verdict::not_compared;
  }
  const auto found = runs.find(place.id);
  const double ran = found == runs.end() ? 0 : static_cast<double>(found->second.iterations);
  const double counted = place.count.lower.at(values);
  return std::abs(counted - ran) <= 1e-9 * (1 + ran) ? Verdict::equal_measured : Verdict::wrong;
}

frontend::llvm_ir::ThreadNames names_of(const CountRequest& request) {
  return {request.size_name, request.rank_name};
}

using Sizes = std::vector<std::pair<std::string, std::int64_t>>;

// What the program runs with: these sizes, and as many processes as its formulas are taken for.
Sizes sizes_of_run(const CountRequest& request, Sizes sizes) {
  bool has_processes = false;
  for (auto& [name, value] : sizes) {
    if (name == request.size_name) name = "p";
    has_processes = has_processes || name == "p";
    const auto other = request.sizes.find(name);
    if (other != request.sizes.end() && other->second != value) {
      throw Error("the check at " + name + "=" + std::to_string(value),
                  "its formulas are to be taken at " + name + "=" + std::to_string(other->second),
                  "give one size of " + name);
    }
  }
  const auto processes = request.sizes.find("p");
  if (!has_processes && processes != request.sizes.end()) sizes.emplace_back(*processes);
  return sizes;
}

}  // namespace

CountReport count(const CountRequest& request) {
  counting::Options options;
  options.assumptions = request.assumptions;
  options.sizes = request.sizes;
  if (!request.size_name.empty()) {
    const auto threads = options.sizes.find(request.size_name);
    if (threads != options.sizes.end()) options.sizes.emplace("p", threads->second);
  }
  return counting::count(frontend::llvm_ir::read_program(request.file, request.function,
                                                         request.flags, names_of(request)),
                         options);
}

bool CountCheck::passed() const {
  return std::none_of(loops.begin(), loops.end(),
                      [](const CheckedLoop& loop) { return loop.verdict == Verdict::wrong; });
}

CountCheck check_counts(const CountRequest& request, const Sizes& sizes) {
  const Sizes all = sizes_of_run(request, sizes);
  CountRequest at = request;
  for (const auto& [name, value] : all) at.sizes[name] = value;
  const CountReport report = count(at);
  const auto ran = frontend::llvm_ir::run_counted(request.file, request.function, request.flags,
                                                  all, names_of(request));
  CountCheck check;
  for (const CountedPlace& place : report.loops) {
    const auto found = ran.find(place.id);
    const std::int64_t times = found == ran.end() ? 0 : found->second.iterations;
    Verdict judged = verdict(place.count, times);
    if (judged == Verdict::not_compared && place.count.exact) {
      judged = verdict_as_measured(place, report, at.sizes, ran);
    }
    check.loops.push_back({place, times, judged});
  }
  return check;
}

}  // namespace redblue
