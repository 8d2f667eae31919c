// SPDX-License-Identifier: BSD-3-Clause
// Random products within random memory limits, from the least that a refusal names on: what every
// rank really allocates for its buffers, with what it owns, is within the limit, words and messages
// are the plan's, and the result is right. Under mpirun on any number of ranks:
//   memory_limits CASES FIRST_SEED
// prints a line for each case that fails and one for all.
#include <malloc.h>
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "linalg/plan/native.hpp"
#include "linalg/random_layouts.hpp"
#include "matgen/check.hpp"
#include "redblue/error.hpp"
#include "redblue/gemm.hpp"

namespace {

// Bytes that are allocated with an alignment, as buffers are while they are small.
std::int64_t aligned_bytes = 0;

}  // namespace

extern "C" void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
  aligned_bytes += static_cast<std::int64_t>(bytes);
  return memalign(alignment, bytes);
}

namespace redblue {

using namespace linalg;

namespace {

constexpr std::int64_t rounding = 8;  // words by which a buffer is rounded up

GemmOptions random_options(Dice& dice) {
  GemmOptions options;
  options.overlap = dice.one_in(4);
  if (dice.one_in(6)) options.backend = Backend::one_sided;
  if (dice.one_in(4)) options.objective = Objective::seconds;
  if (!options.overlap && options.backend == Backend::two_sided && dice.one_in(2))
    options.exchange = dice.one_in(2) ? Exchange::doubling : Exchange::direct;
  return options;
}

// The smallest limit within which there is a plan; one word is not enough for any product here.
Words least(const GemmShape& shape, GemmOptions options) {
  options.memory = Words(1);
  try {
    GemmPlan<double>(MPI_COMM_WORLD, shape, options);
  } catch (const Error& e) {
    return Words(e.least().value_or(0));
  }
  return Words(0);
}

// What is wrong on this rank; empty: nothing.
std::string run(comm::Communicator& world, const GemmShape& shape, const GemmOptions& options) {
  const std::int64_t before = aligned_bytes;
  GemmPlan<double> plan(MPI_COMM_WORLD, shape, options);
  const std::int64_t buffers = (aligned_bytes - before) / 8;
  std::int64_t owned = 0;
  for (const Operand o : {Operand::a, Operand::b, Operand::c}) owned += plan.owned(o).value;
  const std::vector<double> a = matgen::random_part(plan, Operand::a, matgen::seed_a);
  const std::vector<double> b = matgen::random_part(plan, Operand::b, matgen::seed_b);
  std::vector<double> c(static_cast<std::size_t>(plan.owned(Operand::c).value));
  const std::int64_t planned = aligned_bytes;
  plan.execute(1, a.data(), b.data(), 0, c.data());
  const bool allocates = aligned_bytes != planned;
  const matgen::Residual residual =
      matgen::check_product(world, shape, patches_of(plan.parts(Operand::c)), c.data());
  const Cost predicted = cost_of(plan.decomposition(), {});
  const Traffic traffic = plan.traffic().total();
  const bool words = world.maximum(traffic.words_received.value) == predicted.words.value;
  const bool messages = world.maximum(traffic.messages_received.value) == predicted.messages.value;
  const std::string how = plan.decomposition().name() + ", " +
                          std::to_string(plan.decomposition().rounds) + " rounds, " +
                          std::to_string(plan.decomposition().reductions) + " reductions: ";
  const std::int64_t most = options.memory.value_or(Words()).value;
  if (owned + buffers > most + rounding) {
    return how + std::to_string(owned + buffers) + " words allocated and owned";
  }
  if (plan.memory().value > most) return how + "says that it holds more than the limit";
  if (plan.memory().value > owned + buffers) return how + "less allocated than it says it holds";
  if (allocates) return how + "execution allocates";
  if (!words) return how + "words differ from the plan's";
  if (!messages) return how + "messages differ from the plan's";
  if (!residual.ok) return how + "wrong product";
  return {};
}

int all(std::int64_t cases, std::int64_t first) {
  comm::Communicator world(MPI_COMM_WORLD);
  std::int64_t failed = 0, in_rounds = 0, in_reductions = 0;
  for (std::int64_t seed = first; seed < first + cases; ++seed) {
    Dice dice(static_cast<std::uint64_t>(seed));
    const auto side = [&dice] { return dice.between(2, dice.one_in(3) ? 250 : 60); };
    const GemmShape shape = {side(), side(), side()};
    GemmOptions options = random_options(dice);
    const std::int64_t needed = least(shape, options).value;
    options.memory = Words(dice.one_in(4) ? needed : needed + needed * dice.between(0, 150) / 100);
    const std::string wrong = run(world, shape, options);
    const Decomposition d = choose_gemm({shape, world.size(), options.memory, options.objective,
                                         options.machine, options.exchange});
    in_rounds += d.rounds > 1 ? 1 : 0;
    in_reductions += d.reductions > 1 ? 1 : 0;
    if (!wrong.empty()) {
      std::printf("seed %lld, rank %d: %lld x %lld x %lld in %lld words: %s\n",
                  static_cast<long long>(seed), world.rank().value, static_cast<long long>(shape.m),
                  static_cast<long long>(shape.n), static_cast<long long>(shape.k),
                  static_cast<long long>(options.memory->value), wrong.c_str());
    }
    if (!world.all(wrong.empty())) ++failed;
  }
  if (world.rank().value == 0) {
    std::printf("%lld cases on %d ranks, %lld in rounds, %lld in several reductions: %lld failed\n",
                static_cast<long long>(cases), world.size(), static_cast<long long>(in_rounds),
                static_cast<long long>(in_reductions), static_cast<long long>(failed));
  }
  const bool tried = world.size() == 1 || cases < 20 || in_rounds > 0;
  return failed == 0 && tried ? 0 : 1;
}

}  // namespace
}  // namespace redblue

int main(int count, char** arguments) {
  if (count != 3) {
    std::fprintf(stderr, "usage: memory_limits CASES FIRST_SEED\n");
    return 2;
  }
  const redblue::comm::Session session;
  return redblue::all(std::atoll(arguments[1]), std::atoll(arguments[2]));
}
