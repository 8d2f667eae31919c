// SPDX-License-Identifier: BSD-3-Clause
// Random kernels, shapes and memory limits: the words that ranks really receive, in the mean and so
// the busiest, are never below the bound that plan and run print for them. Under mpirun on any
// number of ranks:
//   random_bounds CASES FIRST_SEED
// prints a line for each case that fails and one for all.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "linalg/blas/blas.hpp"
#include "linalg/plan/native.hpp"
#include "linalg/random_layouts.hpp"
#include "matgen/check.hpp"
#include "redblue/error.hpp"
#include "redblue/factor.hpp"
#include "redblue/gemm.hpp"
#include "redblue/lower_bound.hpp"
#include "redblue/solve.hpp"
#include "redblue/symmetric.hpp"
#include "redblue/symmetric_model.hpp"

namespace redblue {

using namespace linalg;

namespace {

// One case, as it ran.
struct Counted {
  std::string what;
  std::int64_t words = 0;                 // received, on this rank
  std::vector<double> printed;            // bounds for it
  std::optional<std::int64_t> predicted;  // words of the busiest rank, where they are exact
};

std::vector<double> ones(std::int64_t words) {
  return std::vector<double>(static_cast<std::size_t>(words), 1.0);
}

std::int64_t words_of(const std::vector<OwnedPart>& parts) {
  std::int64_t total = 0;
  for (const OwnedPart& p : parts) total += p.end - p.begin;
  return total;
}

// A limit within which make(limit) finds a plan: the least that its refusal names and some more, or
// none.
template <class Make>
std::optional<Words> random_limit(Dice& dice, Make make) {
  if (dice.one_in(3)) return std::nullopt;
  Words limit(1);
  constexpr int refusals = 4;
  for (int attempt = 0; attempt < refusals; ++attempt) {
    try {
      make(limit);
      break;
    } catch (const Error& e) {
      if (!e.least() && std::string(e.what()).find("least") == std::string::npos) {
        return std::nullopt;
      }
      const std::string message = e.what();
      limit = Words(e.least().value_or(std::atoll(message.substr(message.rfind(' ') + 1).c_str())));
    }
  }
  return Words(limit.value + (dice.one_in(3) ? 0 : limit.value * dice.between(0, 200) / 100));
}

// Likewise, of options with which make(limited) finds a plan.
template <class Options, class Make>
void limit_memory(Dice& dice, Options& options, Make make) {
  options.memory = random_limit(dice, [&](Words limit) {
    Options limited = options;
    limited.memory = limit;
    make(limited);
  });
}

BlockCyclic caller_layout(comm::Communicator& world, std::int64_t rows, std::int64_t columns,
                          std::int64_t block) {
  const int down = squarest_grid_rows(world.size());
  return block_cyclic(rows, columns, block, down, world.size() / down, world.rank());
}

// All that a rank holds where it may hold `limit` beside the caller's arrays: the busiest rank's,
// as run has it, and an even share of the elements, as plan has it.
std::array<std::optional<Words>, 2> all_memory(comm::Communicator& world,
                                               std::optional<Words> limit, Words arrays,
                                               std::int64_t elements) {
  if (!limit) return {};
  const std::int64_t share = (elements + world.size() - 1) / world.size();
  return {*limit + Words(world.maximum(arrays.value)), *limit + Words(share)};
}

Counted gemm(comm::Communicator& world, Dice& dice) {
  const auto side = [&dice] { return dice.between(1, dice.one_in(3) ? 200 : 60); };
  const GemmShape shape = {side(), side(), side()};
  GemmOptions options;
  if (dice.one_in(3)) options.exchange = dice.one_in(2) ? Exchange::doubling : Exchange::direct;
  limit_memory(dice, options, [&](const GemmOptions& limited) {
    GemmPlan<double>(MPI_COMM_WORLD, shape, limited);
  });
  GemmPlan<double> plan(MPI_COMM_WORLD, shape, options);
  const auto a = ones(plan.owned(Operand::a).value);
  const auto b = ones(plan.owned(Operand::b).value);
  auto c = ones(plan.owned(Operand::c).value);
  plan.execute(1, a.data(), b.data(), 0, c.data());
  const GemmPlanReport report = plan_gemm(
      {shape, world.size(), options.memory, options.objective, options.machine, options.exchange});
  return {text("gemm ", shape.m, " x ", shape.n, " x ", shape.k, " in ",
               options.memory.value_or(Words()).value, " words: ", plan.decomposition().name()),
          plan.traffic().total().words_received.value,
          {report.lower_bound, lower_bound(plan.decomposition(), options.memory)},
          report.cost.words.value};
}

enum class Symmetric { syrk, syr2k, symm };

Counted symmetric(comm::Communicator& world, Dice& dice, Symmetric kernel) {
  const SyrkShape shape = {dice.between(1, 120), dice.between(1, dice.one_in(3) ? 300 : 60)};
  const bool is_symm = kernel == Symmetric::symm;
  SyrkOptions options;
  options.two_factors = kernel == Symmetric::syr2k;
  const auto limited = [&](Words limit) {
    const SyrkPlanRequest request = {shape, world.size(), limit, Objective::words, {}};
    if (kernel == Symmetric::syrk) {
      choose_syrk(request);
    } else {
      choose_symmetric(is_symm ? SymmetricKernel::symm : SymmetricKernel::syr2k, request);
    }
  };
  options.memory = random_limit(dice, limited);
  const SyrkPlanRequest request = {shape, world.size(), options.memory, Objective::words, {}};
  Counted result;
  const auto name = [&](const TriangleDecomposition& d) {
    return text(" ", shape.n, " x ", shape.k, " in ", options.memory.value_or(Words()).value,
                " words: ", d.name());
  };
  if (is_symm) {
    SymmPlan<double> plan(MPI_COMM_WORLD, shape, false, options);
    const auto a = ones(words_of(plan.parts(Operand::a)));
    const auto b = ones(words_of(plan.parts(Operand::b)));
    auto c = b;
    plan.execute(1, a.data(), b.data(), 0, c.data());
    const TriangleDecomposition& d = plan.decomposition();
    return {"symm" + name(d),
            plan.traffic().total().words_received.value,
            {lower_bound(SymmetricKernel::symm, d, options.memory)},
            cost_of(SymmetricKernel::symm, d, {}).words.value};
  }
  SyrkPlan<double> plan(MPI_COMM_WORLD, shape, false, options);
  const auto a = ones(words_of(plan.parts(Operand::a)));
  auto c = ones(words_of(plan.parts(Operand::c)));
  plan.execute(1, a.data(), options.two_factors ? a.data() : nullptr, 0, c.data());
  const TriangleDecomposition& d = plan.decomposition();
  const std::int64_t words = plan.traffic().total().words_received.value;
  if (options.two_factors) {
    return {"syr2k" + name(d),
            words,
            {lower_bound(SymmetricKernel::syr2k, d, options.memory)},
            cost_of(SymmetricKernel::syr2k, d, {}).words.value};
  }
  return {"syrk" + name(d),
          words,
          {plan_syrk(request).lower_bound, lower_bound(d, options.memory)},
          cost_of(d, {}).words.value};
}

FactorOptions random_options(Dice& dice, int ranks) {
  FactorOptions options;
  if (dice.one_in(2)) options.block = dice.between(1, 24);
  if (dice.one_in(2)) options.replicas = static_cast<int>(dice.between(1, std::min(ranks, 4)));
  if (dice.one_in(3)) options.exchange = Exchange::doubling;
  return options;
}

Counted cholesky(comm::Communicator& world, Dice& dice) {
  const std::int64_t n = dice.between(1, dice.one_in(3) ? 300 : 100);
  const BlockCyclic layout = caller_layout(world, n, n, dice.between(1, 32));
  FactorOptions options = random_options(dice, world.size());
  limit_memory(dice, options, [&](const FactorOptions& limited) {
    CholeskyPlan<double>(MPI_COMM_WORLD, Triangle::lower, layout, limited);
  });
  CholeskyPlan<double> plan(MPI_COMM_WORLD, Triangle::lower, layout, options);
  std::vector<double> a = matgen::array_of<double>(
      local_patches(layout, world), array_words(layout, world.rank()),
      [n](auto i, auto j) { return matgen::definite_number<double>(i, j, n); });
  plan.execute(a.data());
  Counted result = {text("cholesky ", n, " in ", options.memory.value_or(Words()).value,
                         " words: ", plan.decomposition().name()),
                    plan.traffic().factor.words_received.value,
                    {},
                    cost_of(plan.decomposition(), {}).words.value};
  for (const auto& memory :
       all_memory(world, options.memory, array_words(layout, world.rank()), n * n)) {
    result.printed.push_back(lower_bound(plan.decomposition(), memory));
  }
  return result;
}

Counted lu(comm::Communicator& world, Dice& dice) {
  const std::int64_t m = dice.between(1, dice.one_in(3) ? 300 : 100);
  const std::int64_t n = dice.one_in(2) ? m : dice.between(1, 150);
  const BlockCyclic layout = caller_layout(world, m, n, dice.between(1, 32));
  FactorOptions options = random_options(dice, world.size());
  limit_memory(dice, options, [&](const FactorOptions& limited) {
    LuPlan<double>(MPI_COMM_WORLD, layout, limited);
  });
  LuPlan<double> plan(MPI_COMM_WORLD, layout, options);
  std::vector<double> a = matgen::random_array<double>(
      local_patches(layout, world), array_words(layout, world.rank()), matgen::seed_a);
  plan.execute(a.data());
  Counted result = {text("lu ", m, " x ", n, " in ", options.memory.value_or(Words()).value,
                         " words: ", plan.decomposition().name()),
                    plan.traffic().factor.words_received.value,
                    {},
                    std::nullopt};
  for (const auto& memory :
       all_memory(world, options.memory, array_words(layout, world.rank()), m * n)) {
    result.printed.push_back(lower_bound(plan.decomposition(), memory));
  }
  return result;
}

Counted trsm(comm::Communicator& world, Dice& dice) {
  const std::int64_t n = dice.between(1, dice.one_in(3) ? 300 : 100);
  const std::int64_t m = dice.one_in(2) ? dice.between(1, 40) : dice.between(33, 200);
  TrsmLayouts layouts;
  const std::int64_t block = dice.between(1, 32);
  layouts.t = caller_layout(world, n, n, block);
  layouts.b = caller_layout(world, n, m, block);
  FactorOptions options;
  if (dice.one_in(2)) options.block = dice.between(1, 24);
  limit_memory(dice, options, [&](const FactorOptions& limited) {
    TrsmPlan<double>(MPI_COMM_WORLD, layouts, limited);
  });
  TrsmPlan<double> plan(MPI_COMM_WORLD, layouts, options);
  const std::vector<double> t = matgen::array_of<double>(
      local_patches(layouts.t, world), array_words(layouts.t, world.rank()),
      [n](auto i, auto j) { return matgen::triangular_number<double>(i, j, n); });
  std::vector<double> b = matgen::random_array<double>(
      local_patches(layouts.b, world), array_words(layouts.b, world.rank()), matgen::seed_b);
  plan.execute(1, t.data(), b.data());
  Counted result = {text("trsm ", n, " x ", m, " in ", options.memory.value_or(Words()).value,
                         " words: ", plan.name()),
                    plan.traffic().solve.words_received.value,
                    {},
                    plan.few() ? cost_of(*plan.few(), {}).words.value
                               : cost_of(plan.decomposition(), {}).words.value};
  const Words arrays = array_words(layouts.t, world.rank()) + array_words(layouts.b, world.rank());
  for (const auto& memory : all_memory(world, options.memory, arrays, n * n + n * m)) {
    result.printed.push_back(plan.few() ? lower_bound(*plan.few(), memory)
                                        : lower_bound(plan.decomposition(), memory));
  }
  return result;
}

Counted run(comm::Communicator& world, Dice& dice) {
  switch (dice.between(0, 6)) {
    case 0:
      return gemm(world, dice);
    case 1:
      return symmetric(world, dice, Symmetric::syrk);
    case 2:
      return symmetric(world, dice, Symmetric::syr2k);
    case 3:
      return symmetric(world, dice, Symmetric::symm);
    case 4:
      return cholesky(world, dice);
    case 5:
      return lu(world, dice);
    default:
      return trsm(world, dice);
  }
}

int all(std::int64_t cases, std::int64_t first) {
  comm::Communicator world(MPI_COMM_WORLD);
  blas::use_one_thread();
  std::int64_t failed = 0, positive = 0;
  double nearest = HUGE_VAL;
  for (std::int64_t seed = first; seed < first + cases; ++seed) {
    Dice dice(static_cast<std::uint64_t>(seed));
    const Counted c = run(world, dice);
    const auto words = static_cast<double>(world.maximum(c.words));
    const double bound = *std::max_element(c.printed.begin(), c.printed.end());
    std::vector<double> total = {static_cast<double>(c.words)};
    world.sum(total);
    const double mean = total.front() / world.size();
    const bool below = mean < bound * (1 - 1e-12);
    const bool differs = c.predicted && words != static_cast<double>(*c.predicted);
    positive += bound > 0 ? 1 : 0;
    if (bound > 0) nearest = std::min(nearest, mean / bound);
    failed += below || differs ? 1 : 0;
    if ((below || differs) && world.rank().value == 0) {
      std::printf(
          "seed %lld: %s: %.0f words received, %.1f in the mean, bound %.1f, "
          "plan %lld\n",
          static_cast<long long>(seed), c.what.c_str(), words, mean, bound,
          static_cast<long long>(c.predicted.value_or(-1)));
    }
  }
  if (world.rank().value == 0) {
    std::printf(
        "%lld cases on %d ranks, %lld with a bound above 0 (the mean at least %.3f times): %lld "
        "failed\n",
        static_cast<long long>(cases), world.size(), static_cast<long long>(positive), nearest,
        static_cast<long long>(failed));
  }
  const bool tried = world.size() == 1 || cases < 20 || positive > cases / 4;
  return failed == 0 && tried ? 0 : 1;
}

}  // namespace
}  // namespace redblue

int main(int count, char** arguments) {
  if (count != 3) {
    std::fprintf(stderr, "usage: random_bounds CASES FIRST_SEED\n");
    return 2;
  }
  const redblue::comm::Session session;
  return redblue::all(std::atoll(arguments[1]), std::atoll(arguments[2]));
}
