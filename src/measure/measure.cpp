// SPDX-License-Identifier: BSD-3-Clause
#include "redblue/measure.hpp"

#include <unistd.h>

#include <algorithm>

#include "frontend/read.hpp"
#include "measure/build.hpp"
#include "measure/choosing.hpp"
#include "measure/levels.hpp"
#include "process/compiler.hpp"
#include "program/isl_errors.hpp"
#include "redblue/error.hpp"
#include "schedule/choice/choice.hpp"
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
  if (request.code.processor.reassociate)
    throw Error("--blas with --reassociate", "BLAS adds up in its own order",
                "leave one of them out");
  if (request.search_seconds > 0)
    throw Error("--blas with --search", "a search compares bits, which calls of BLAS change",
                "leave one of them out");
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
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

Measurement measured(const MeasureRequest& request);

// Where sums in any order are further apart than allowed, by `difference`.
Measurement with_sums_in_order(MeasureRequest request, const std::string& difference) {
  request.code.processor.reassociate = false;
  Measurement result = measured(request);
  result.rounding_difference = difference;
  return result;
}

// Where several are no faster, as `tried` tells.
Measurement on_one_thread(MeasureRequest request, const Measurement& tried) {
  request.code.processor.threads = 1;
  request.search_seconds = 0;
  Measurement result = measured(request);
  result.search = tried.search;
  result.not_remembered = tried.not_remembered;
  result.tried_seconds = result.tried_seconds.value_or(tried.schedule_seconds);
  return result;
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
  Made schedule = made(program, measure_detail::chosen(request, program, sizes, result));
  result.schedule = schedule.code;
  const bool calls = !result.schedule.calls.empty();
  measure_detail::Build build(request, program, sizes, measure_detail::Sharing::none_then_second,
                              calls);
  step(1);
  const std::string& source = program.region.text;
  const std::string& code = schedule.code.code;
  const std::string compared = build.output(source, code, {"-ffp-contract=off"}, 0);
  result.same_results = measure_detail::says_same(compared);
  if (!result.same_results) result.first_difference = compared.substr(0, compared.find('\n'));
  if (calls || request.code.processor.reassociate) {
    result.tolerance = measure_detail::tolerance_of(program);
    if (result.same_results) result.largest_difference = std::stod(compared.substr(5));
  }
  if (request.code.processor.reassociate && !result.same_results)
    return with_sums_in_order(request, result.first_difference);
  step(2);
  const auto seconds = build.seconds(source, code, {}, request.repetitions);
  step(4);
  take_times(result, seconds, request.code.processor.threads);
  // What gains nothing is not handed out: one thread has it, or the source's own order stays.
  const bool by_one =
      result.one_thread_seconds.value_or(result.schedule_seconds) < result.schedule_seconds;
  if (result.threads > 1 && by_one && result.same_results) return on_one_thread(request, result);
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
    const Orders orders(program, sizes, measure_detail::model_of(request.processor));
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
