// SPDX-License-Identifier: BSD-3-Clause
#include "measure/choosing.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "measure/build.hpp"
#include "measure/remembered.hpp"
#include "measure/search.hpp"
#include "process/compiler.hpp"
#include "process/process.hpp"
#include "redblue/error.hpp"
#include "redblue/version.hpp"
#include "schedule/blocks/call_sides.hpp"
#include "schedule/choice/choice_text.hpp"

namespace redblue::measure_detail {

using program::Program;
using program::Sizes;
using schedule::codegen::Choice;
using schedule::codegen::Chosen;
using schedule::codegen::Orders;

namespace {

// Seconds for which the model's few best orders may be compared.
constexpr double comparison_seconds = 30;

// What a search's result holds for.
std::string key_of(const MeasureRequest& request, const Program& program, const Sizes& sizes,
                   const std::string& compiler) {
  const Processor& p = request.code.processor;
  std::string key = "redblue " + version() + "\n" + program.name;
  for (const auto& [name, size] : sizes) key += " " + name + "=" + std::to_string(size);
  key += "\n" + compiler;
  const process::Finished version = process::run({process::c_compiler(), "--version"});
  key += "\n" + version.output.substr(0, version.output.find('\n'));
  key += "\n" + processor_name() + ", cache " + std::to_string(p.cache_bytes) + ", vectors " +
         std::to_string(p.vector_bytes) + ", threads " + std::to_string(p.threads) +
         (p.reassociate ? ", sums in any order" : "");
  return key + "\n" + program.region.text;
}

Candidate source(const Program& program) {
  return {Choice{}, program.region.text};
}

// Compiles and runs candidates of a program on this machine, and knows since when.
class Machine {
 public:
  Machine(const MeasureRequest& request, const Program& program, const Sizes& sizes)
      : request_(request),
        program_(program),
        timing_(request, program, sizes, Sharing::both),
        checking_(request, program, sizes) {}

  // `seconds`: how long the search may take. This must outlive the result.
  Trials trials(double seconds) {
    Trials result;
    result.seconds = [this] { return passed(); };
    result.time = [this](const Candidate& first, const Candidate& second, int turns, double most) {
      return time(first, second, turns, most);
    };
    result.same_results = [this](const Candidate& c) { return same_results(c); };
    result.progress = [this, seconds](int tried, double best) {
      if (request_.progress)
        request_.progress(
            {static_cast<double>(tried), 0, "orders tried", {}, seconds - passed(), best});
    };
    return result;
  }

 private:
  using Clock = std::chrono::steady_clock;

  double passed() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }

  std::optional<Pair> time(const Candidate& first, const Candidate& second, int turns,
                           double most) {
    try {
      const auto seconds = timing_.seconds(first.code, second.code, {}, turns, most);
      return Pair{*std::min_element(seconds[0].begin(), seconds[0].end()),
                  *std::min_element(seconds[1].begin(), seconds[1].end())};
    } catch (const Error&) {
      return std::nullopt;
    }
  }

  bool same_results(const Candidate& c) {
    try {
      return says_same(checking_.output(program_.region.text, c.code, {"-ffp-contract=off"}, 0));
    } catch (const Error&) {
      return false;
    }
  }

  const MeasureRequest& request_;
  const Program& program_;
  Build timing_, checking_;
  Clock::time_point begin_ = Clock::now();
};

OrderSearch reported(const Found& found, double seconds) {
  return {seconds,
          found.tried,
          found.best_seconds,
          found.model_seconds,
          text(found.best.choice),
          found.other_bits};
}

// The one of the model's best orders that runs fastest.
std::optional<Chosen> compared(const MeasureRequest& request, const Program& program,
                               const Sizes& sizes, std::vector<Chosen> best, Measurement& result) {
  if (best.empty()) return std::nullopt;
  if (best.size() == 1) return std::move(best.front());
  std::vector<Candidate> candidates;
  for (const Chosen& one : best) candidates.push_back(candidate(one));
  Machine machine(request, program, sizes);
  const Trials trials = machine.trials(comparison_seconds);
  const Found found = fastest_of(candidates, comparison_seconds, trials);
  result.compared = reported(found, trials.seconds());
  return std::move(*std::find_if(best.begin(), best.end(), [&](const Chosen& one) {
    return one.choice == found.best.choice;
  }));
}

// The best order that a search from `start` finds.
std::optional<Chosen> searched(const MeasureRequest& request, const Program& program,
                               const Sizes& sizes, const Orders& orders,
                               const std::optional<Chosen>& start, Measurement& result) {
  Machine machine(request, program, sizes);
  const Trials trials = machine.trials(request.search_seconds);
  const auto of = [&program](const std::optional<Chosen>& order) {
    return order ? candidate(*order) : source(program);
  };
  const auto found = search(
      {orders, model_of(request.code.processor), of(start),
       of(result.remembered ? orders.fastest() : start), source(program), request.search_seconds},
      trials);
  result.search = reported(found, trials.seconds());
  return orders.made(found.best.choice);
}

}  // namespace

schedule::codegen::Processor model_of(const Processor& processor) {
  return {processor.cache_bytes / 8, processor.vector_bytes, processor.threads,
          processor.blas ? schedule::codegen::usual_call_sides : std::vector<std::int64_t>{},
          processor.reassociate};
}

std::optional<Chosen> chosen(const MeasureRequest& request, const Program& program,
                             const Sizes& sizes, Measurement& result) {
  const Orders orders(program, sizes, model_of(request.code.processor));
  const std::string key =
      request.search_folder.empty() ? "" : key_of(request, program, sizes, result.compiler);
  const bool blas = request.code.processor.blas;  // no search
  const auto known = remembered(blas ? "" : request.search_folder, key);
  const bool own = known && known->nest == schedule::codegen::own_order;
  std::optional<Chosen> start = known ? orders.made(*known) : std::nullopt;
  result.remembered = own || start;
  const bool compares = !result.remembered && !blas && request.search_seconds <= 0;
  if (compares)
    return compared(request, program, sizes, orders.best(request.orders_compared), result);
  if (!result.remembered) start = orders.fastest();
  if (request.search_seconds <= 0) return start;
  const auto best = searched(request, program, sizes, orders, start, result);
  result.not_remembered = remember(request.search_folder, key, best ? best->choice : Choice{});
  return best;
}

}  // namespace redblue::measure_detail
