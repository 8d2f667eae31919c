// SPDX-License-Identifier: BSD-3-Clause
// Counting what stands in a file.
#include <algorithm>
#include <cmath>
#include <map>
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
using frontend::llvm_ir::Noted;
using frontend::llvm_ir::Run;

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

// What the count's formulas mention.
std::set<std::string> names_in(const Count& count) {
  const std::vector<std::string> lower = count.lower.names();
  std::set<std::string> names(lower.begin(), lower.end());
  if (count.exact) return names;
  for (const std::string& name : count.upper.names()) names.insert(name);
  return names;
}

// Whether the count at these values is that of the run, but for rounded means.
bool holds(const Count& count, const std::map<std::string, double>& values, double ran) {
  const double allowed = 1e-9 * (1 + ran);
  const double lower = count.lower.at(values);
  const double upper = count.exact ? lower : count.upper.at(values);
  return ran >= lower - allowed && ran <= upper + allowed;
}

// Formulas with what the run measured: unknowns as quotients of counts, parameters as values.
class Measured {
 public:
  Measured(const CountReport& report, const std::map<std::string, std::string>& value_names,
           const std::map<std::string, std::int64_t>& sizes, const Run& run)
      : report_(report), value_names_(value_names), sizes_(sizes), run_(run) {
    for (const Unknown& u : report.unknowns) ++same_[u.times];
  }

  Verdict verdict(const CountedPlace& place) const {
    const auto found = run_.loops.find(place.id);
    const LoopRun ran = found == run_.loops.end() ? LoopRun{} : found->second;
    std::map<std::string, double> values;
    std::vector<std::string> open;  // the run does not say what these are worth
    bool is_sure = true;
    for (const std::string& name : names_in(place.count)) {
      const auto value = value_of(name, ran.thread);
      if (value) values[name] = *value;
      if (!value) open.push_back(name);
      is_sure = is_sure && value && is_own(name, place);
    }
    // Of code that never ran: then they make no difference.
    for (const double first : {3.0, 5.0}) {
      for (std::size_t k = 0; k < open.size(); ++k) {
        values[open[k]] = first + 4 * static_cast<double>(k);
      }
      if (!holds(place.count, values, static_cast<double>(ran.iterations)))
        return is_sure ? Verdict::wrong : Verdict::not_compared;
    }
    return place.count.exact ? Verdict::equal_measured : Verdict::within_measured;
  }

 private:
  std::optional<double> value_of(const std::string& name, std::size_t thread) const {
    const auto size = sizes_.find(name);
    if (size != sizes_.end()) return static_cast<double>(size->second);
    for (const Unknown& u : report_.unknowns) {
      if (u.name == name) return mean(u, thread);
    }
    if (name == "rank" && thread < run_.ranks.size() && run_.ranks[thread] >= 0) {
      return static_cast<double>(run_.ranks[thread]);
    }
    const auto known = value_names_.find(name);
    if (known == value_names_.end()) return std::nullopt;
    const auto value = run_.values.find(known->second);
    if (value == run_.values.end()) return std::nullopt;
    return met(value->second, thread);
  }

  // What the thread met; what all others did where it met none.
  static std::optional<double> met(const std::vector<Noted>& threads, std::size_t thread) {
    if (thread < threads.size() && threads[thread].value) {
      if (threads[thread].varies) return std::nullopt;
      return static_cast<double>(*threads[thread].value);
    }
    std::optional<double> common;
    for (const Noted& other : threads) {
      if (!other.value) continue;
      const auto value = static_cast<double>(*other.value);
      if (other.varies || common.value_or(value) != value) return std::nullopt;
      common = value;
    }
    return common;
  }

  // Places that are reached on several ways have an unknown for each, and one mean for all: right
  // for the loop itself, and for loops inside unless their own counts differ by the way.
  bool is_own(const std::string& name, const CountedPlace& place) const {
    return std::none_of(report_.unknowns.begin(), report_.unknowns.end(), [&](const Unknown& u) {
      return u.name == name && same_.at(u.times) > 1 && u.loop != place.id;
    });
  }

  // All counts are those of the thread that ran the place most, or of the one that came to what it
  // never came to.
  std::optional<double> mean(const Unknown& u, std::size_t thread) const {
    const auto times = run_.counts.find(u.times), per = run_.counts.find(u.per);
    if (times == run_.counts.end() || per == run_.counts.end()) return std::nullopt;
    const auto& all = per->second;
    const auto most = std::max_element(all.begin(), all.end());
    // Never reached: whatever stands for it must have the factor 0.
    if (most == all.end() || *most == 0) return 1.0;
    if (all.at(thread) == 0) thread = static_cast<std::size_t>(most - all.begin());
    if (all.at(thread) < *most) return std::nullopt;
    return static_cast<double>(times->second.at(thread)) / static_cast<double>(*most);
  }

  const CountReport& report_;
  const std::map<std::string, std::string>& value_names_;
  const std::map<std::string, std::int64_t>& sizes_;
  const Run& run_;
  std::map<std::string, int> same_;
};

// What the run has to count so that these formulas have values.
std::set<std::string> counters_for(const CountReport& report,
                                   const std::map<std::string, std::string>& values) {
  std::set<std::string> mentioned;
  for (const CountedPlace& loop : report.loops) mentioned.merge(names_in(loop.count));
  std::set<std::string> wanted;
  for (const Unknown& u : report.unknowns) {
    if (!mentioned.contains(u.name)) continue;
    wanted.insert(u.times);
    wanted.insert(u.per);
  }
  for (const auto& [name, value] : values) {
    if (mentioned.contains(name)) wanted.insert(value);
  }
  return wanted;
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

counting::Program read(const CountRequest& request) {
  return frontend::llvm_ir::read_program(request.file, request.function, request.flags,
                                         names_of(request));
}

counting::Options options_of(const CountRequest& request) {
  counting::Options options;
  options.assumptions = request.assumptions;
  options.sizes = request.sizes;
  if (!request.size_name.empty()) {
    const auto threads = options.sizes.find(request.size_name);
    if (threads != options.sizes.end()) options.sizes.emplace("p", threads->second);
  }
  return options;
}

}  // namespace

CountReport count(const CountRequest& request) {
  return counting::count(read(request), options_of(request));
}

bool CountCheck::passed() const {
  return std::none_of(loops.begin(), loops.end(),
                      [](const CheckedLoop& loop) { return loop.verdict == Verdict::wrong; });
}

CountCheck check_counts(const CountRequest& request, const Sizes& sizes) {
  const Sizes all = sizes_of_run(request, sizes);
  CountRequest at = request;
  for (const auto& [name, value] : all) at.sizes[name] = value;
  const counting::Program program = read(at);
  const CountReport report = counting::count(program, options_of(at));
  const Run run =
      frontend::llvm_ir::run_counted(request.file, request.function, request.flags, all,
                                     names_of(request), counters_for(report, program.values));
  const Measured measured(report, program.values, at.sizes, run);
  CountCheck check;
  for (const CountedPlace& place : report.loops) {
    const auto found = run.loops.find(place.id);
    const std::int64_t times = found == run.loops.end() ? 0 : found->second.iterations;
    Verdict judged = verdict(place.count, times);
    if (judged == Verdict::not_compared) judged = measured.verdict(place);
    check.loops.push_back({place, times, judged});
  }
  return check;
}

}  // namespace redblue
