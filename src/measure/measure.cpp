// SPDX-License-Identifier: BSD-3-Clause
#include "redblue/measure.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <sstream>

#include "frontend/read.hpp"
#include "measure/build.hpp"
#include "measure/levels.hpp"
#include "measure/remembered.hpp"
#include "measure/search.hpp"
#include "process/compiler.hpp"
#include "process/process.hpp"
#include "program/isl_errors.hpp"
#include "redblue/error.hpp"
#include "redblue/version.hpp"
#include "schedule/blocks/call_sides.hpp"
#include "schedule/choice/choice.hpp"
#include "schedule/choice/choice_text.hpp"
#include "schedule/codegen/call_text.hpp"
#include "schedule/order.hpp"
#include "schedule/updates.hpp"

namespace redblue {

using program::Program;
using program::Sizes;
using schedule::codegen::Chosen;
using schedule::codegen::Orders;

namespace {

Sizes sizes_of(const BoundRequest& request, const Program& program) {
  Sizes sizes = request.sizes;
  sizes.erase("S");
  for (const std::string& p : program.parameters) {
    if (sizes.count(p) == 0) {
      throw Error("a fast " + program.name, p + " has no value",
                  "give it with --set " + p + "=1000");
    }
  }
  program::check_parameters(program, sizes);
  return sizes;
}

std::string described(const Program& program, const schedule::codegen::Blocked& block) {
  const schedule::codegen::Contraction& c = block.contraction;
  const program::Statement& s = program.statements[c.statement];
  const auto name = [&s](int d) { return s.iterators[static_cast<std::size_t>(d)]; };
  return s.name + ": " + std::to_string(block.sizes.rows) + " x " +
         std::to_string(block.sizes.columns) + " (" + name(c.rows) + ", " + name(c.columns) + ")";
}

struct Made {
  FastCode code;
  std::optional<schedule::SizedOrder> order;  // nothing: the source's own, or calls of BLAS
};

void require_writable(const Program& program) {
  if (program.region.can_be_written()) return;
  throw Error(
      "a fast " + program.name, program.region.why_not_written(),
      "give a C function with one region, its choices written as ?:, its macros written out");
}

schedule::codegen::Processor model_of(const Processor& processor) {
  return {processor.cache_bytes / 8, processor.vector_bytes, processor.threads,
          processor.blas ? schedule::codegen::usual_call_sides : std::vector<std::int64_t>{}};
}

Made made(const Program& program, const std::optional<Chosen>& chosen) {
  FastCode result{program.name, program.region.text, false, {}, {}, {}, {}};
  if (!chosen) return {result, {}};
  result.changed = true;
  result.code = schedule::codegen::emitted(chosen->program, chosen->schedule, chosen->exclusive);
  for (const auto& band : chosen->schedule.bands) {
    if (band.block) result.blocks.push_back(described(program, *band.block));
    if (band.calls) {
      const auto calls = schedule::codegen::described(program, *band.calls);
      result.calls.insert(result.calls.end(), calls.begin(), calls.end());
    }
  }
  for (const schedule::Family& f : chosen->schedule.families) {
    if (f.moved()) result.storage.push_back(f.array + " -> " + f.storage);
  }
  result.storage.insert(result.storage.end(), chosen->copies.begin(), chosen->copies.end());
  result.reordered = schedule::reordered_updates(chosen->program, all_times(chosen->schedule));
  if (!result.calls.empty()) return {result, {}};
  return {result, schedule::SizedOrder{chosen->program, all_times(chosen->schedule)}};
}

// What BLAS computes is a matter of roundings, how it moves data its own.
void check_blas(const MeasureRequest& request) {
  if (!request.code.processor.blas) return;
  if (request.code.processor.threads > 1)
    throw Error("--blas on " + std::to_string(request.code.processor.threads) + " threads",
                "calls of BLAS have threads of their own",
                "leave --threads out, and let OPENBLAS_NUM_THREADS say how many");
  if (request.search_seconds > 0)
    throw Error("--blas with --search", "a search compares bits, which calls of BLAS change",
                "leave one of them out");
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// A line for each repetition: seconds of the original, of the schedule, of the schedule on threads.
std::vector<std::vector<double>> by_call(const std::string& output) {
  std::vector<std::vector<double>> result;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream values(line);
    std::size_t call = 0;
    for (double value = 0; values >> value; ++call) {
      if (result.size() <= call) result.emplace_back();
      result[call].push_back(value);
    }
  }
  return result;
}

void take_times(Measurement& result, const std::vector<std::vector<double>>& seconds, int threads) {
  result.repetitions = static_cast<int>(seconds.front().size());
  result.original_seconds = median(seconds.front());
  result.schedule_seconds = median(seconds.back());
  result.threads = threads;
  if (result.threads > 1) result.one_thread_seconds = median(seconds[1]);
  if (!result.schedule.changed) {
    // The same code takes the same time; what differs is noise.
    std::vector<double> all;
    for (const auto& call : seconds) all.insert(all.end(), call.begin(), call.end());
    result.original_seconds = result.schedule_seconds = median(all);
    result.one_thread_seconds.reset();
    result.threads = 1;
  }
}

// What a search's result holds for.
std::string key_of(const MeasureRequest& request, const Program& program, const Sizes& sizes,
                   const std::string& compiler) {
  const Processor& p = request.code.processor;
  std::string key = "redblue " + version() + "\n" + program.name;
  for (const auto& [name, size] : sizes) key += " " + name + "=" + std::to_string(size);
  key += "\n" + compiler;
  const process::Finished version = process::run({process::c_compiler(), "--version"});
  key += "\n" + version.output.substr(0, version.output.find('\n'));
  key += "\n" + measure_detail::processor_name() + ", cache " + std::to_string(p.cache_bytes) +
         ", vectors " + std::to_string(p.vector_bytes) + ", threads " + std::to_string(p.threads);
  return key + "\n" + program.region.text;
}

measure_detail::Candidate candidate(const Program& program, const std::optional<Chosen>& chosen) {
  return {chosen ? chosen->choice : schedule::codegen::Choice{}, made(program, chosen).code.code};
}

// The model's choice, or a search's.
std::optional<Chosen> searched(const MeasureRequest& request, const Program& program,
                               const Sizes& sizes, const Orders& orders,
                               const std::optional<Chosen>& start, Measurement& result) {
  using Clock = std::chrono::steady_clock;
  using measure_detail::Candidate;
  measure_detail::Build timing(request, program, sizes, measure_detail::Sharing::both);
  measure_detail::Build checking(request, program, sizes);
  const Clock::time_point begin = Clock::now();
  measure_detail::Trials trials;
  trials.seconds = [begin] { return std::chrono::duration<double>(Clock::now() - begin).count(); };
  trials.time = [&](const Candidate& first, const Candidate& second, int turns,
                    double most) -> std::optional<measure_detail::Pair> {
    try {
      const auto seconds = by_call(timing.output(first.code, second.code, {}, turns, most));
      return measure_detail::Pair{*std::min_element(seconds[0].begin(), seconds[0].end()),
                                  *std::min_element(seconds[1].begin(), seconds[1].end())};
    } catch (const Error&) {
      return std::nullopt;
    }
  };
  trials.same_results = [&](const Candidate& c) {
    try {
      return checking.output(program.region.text, c.code, {"-ffp-contract=off"}, 0) == "same\n";
    } catch (const Error&) {
      return false;
    }
  };
  trials.progress = [&](int tried, double best) {
    if (request.progress)
      request.progress({static_cast<double>(tried),
                        0,
                        "orders tried",
                        {},
                        request.search_seconds - trials.seconds(),
                        best});
  };
  const auto found =
      measure_detail::search({orders, model_of(request.code.processor), candidate(program, start),
                              candidate(program, result.remembered ? orders.fastest() : start),
                              candidate(program, {}), request.search_seconds},
                             trials);
  result.search = {trials.seconds(),        found.tried,
                   found.best_seconds,      found.model_seconds,
                   text(found.best.choice), found.other_bits};
  return orders.made(found.best.choice);
}

// The model's choice or one that a search found, now or earlier.
std::optional<Chosen> chosen(const MeasureRequest& request, const Program& program,
                             const Sizes& sizes, Measurement& result) {
  const Orders orders(program, sizes, model_of(request.code.processor));
  const std::string key =
      request.search_folder.empty() ? "" : key_of(request, program, sizes, result.compiler);
  const bool blas = request.code.processor.blas;  // no search
  const auto known = measure_detail::remembered(blas ? "" : request.search_folder, key);
  const bool own = known && known->nest == schedule::codegen::own_order;
  std::optional<Chosen> start = known ? orders.made(*known) : std::nullopt;
  result.remembered = own || start;
  if (!result.remembered) start = orders.fastest();
  if (request.search_seconds <= 0) return start;
  const auto best = searched(request, program, sizes, orders, start, result);
  result.not_remembered = measure_detail::remember(
      request.search_folder, key, best ? best->choice : schedule::codegen::Choice{});
  return best;
}

std::string compiler_of(const MeasureRequest& request) {
  std::string result = process::c_compiler();
  for (const std::string& flag : measure_detail::flags_of(request)) result += " " + flag;
  return result;
}

// Of calls nothing is known but what they compute.
void forget_schedule(std::vector<LevelTraffic>& levels) {
  for (LevelTraffic& at : levels) {
    at.schedule.reset();
    at.predicted.reset();
    if (at.not_counted.empty()) at.not_counted = "the schedule calls BLAS";
  }
}

Measurement measured(const MeasureRequest& request) {
  const Program program = frontend::read(request.code.program);
  const Sizes sizes = sizes_of(request.code.program, program);
  check_blas(request);
  const auto step = [&request](double done) {
    if (request.progress) request.progress({done, 5});
  };
  Measurement result;
  require_writable(program);
  result.compiler = compiler_of(request);
  Made schedule = made(program, chosen(request, program, sizes, result));
  result.schedule = schedule.code;
  const bool calls = !result.schedule.calls.empty();
  measure_detail::Build build(request, program, sizes, measure_detail::Sharing::none_then_second,
                              calls);
  step(1);
  const std::string& source = program.region.text;
  const std::string& code = schedule.code.code;
  const std::string compared = build.output(source, code, {"-ffp-contract=off"}, 0);
  result.same_results = compared == "same\n" || compared.rfind("same ", 0) == 0;
  if (!result.same_results) result.first_difference = compared.substr(0, compared.find('\n'));
  if (calls) {
    result.tolerance = measure_detail::tolerance_of(program);
    if (result.same_results) result.largest_difference = std::stod(compared.substr(5));
  }
  step(2);
  const auto seconds = by_call(build.output(source, code, {}, request.repetitions));
  step(4);
  take_times(result, seconds, request.code.processor.threads);
  // What gains nothing is not handed out: one thread has it, or the source's own order stays.
  const bool by_one =
      result.one_thread_seconds.value_or(result.schedule_seconds) < result.schedule_seconds;
  if (result.threads > 1 && by_one && result.same_results) {
    MeasureRequest alone = request;
    alone.code.processor.threads = 1;
    alone.search_seconds = 0;
    Measurement next = measured(alone);
    next.search = result.search;
    next.not_remembered = result.not_remembered;
    next.tried_seconds = next.tried_seconds.value_or(result.schedule_seconds);
    return next;
  }
  // Timings differ by so much from call to call.
  constexpr double gains = 0.97;
  if (result.schedule.changed && !calls &&
      result.schedule_seconds > gains * result.original_seconds) {
    result.tried_seconds = result.schedule_seconds;
    result.schedule_seconds = result.original_seconds;
    result.one_thread_seconds.reset();
    result.threads = 1;
    result.schedule = {program.name, program.region.text, false, {}, {}, {}, {}};
    schedule.order.reset();
  }
  result.operations = measure_detail::operations(program, sizes);
  result.levels =
      measure_detail::level_traffic(request, program, sizes, schedule.order,
                                    [&](const WorkDone& at) { step(4 + at.done / at.total); });
  if (calls) forget_schedule(result.levels);
  return result;
}

}  // namespace

Processor this_processor() {
  Processor result;
  const long cache = sysconf(_SC_LEVEL2_CACHE_SIZE);
  if (cache > 0) result.cache_bytes = cache;
#if defined(__x86_64__)
  result.vector_bytes = __builtin_cpu_supports("avx512f") ? 64
                        : __builtin_cpu_supports("avx2")  ? 32
                                                          : 16;
#else
  result.vector_bytes = 16;
#endif
  return result;
}

FastCode fast_code(const FastCodeRequest& request) {
  return program::with_isl_errors_explained("a fast " + request.program.file, [&] {
    const Program program = frontend::read(request.program);
    const Sizes sizes = sizes_of(request.program, program);
    require_writable(program);
    const Orders orders(program, sizes, model_of(request.processor));
    return made(program, orders.fastest()).code;
  });
}

double arithmetic_operations(const BoundRequest& request) {
  return program::with_isl_errors_explained("operations of " + request.file, [&] {
    const Program program = frontend::read(request);
    return measure_detail::operations(program, sizes_of(request, program));
  });
}

Measurement measure(const MeasureRequest& request) {
  return program::with_isl_errors_explained("measuring " + request.code.program.file,
                                            [&] { return measured(request); });
}

}  // namespace redblue
