// SPDX-License-Identifier: BSD-3-Clause
// Run under mpirun on any number of ranks: every rank compares its part of C with plain loops.
#include <mpi.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <new>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "linalg/plan/native.hpp"
#include "matgen/check.hpp"
#include "redblue/error.hpp"
#include "redblue/gemm.hpp"
#include "redblue/op.hpp"
#include "redblue/redistribution.hpp"
#include "redblue/traffic.hpp"

namespace {

std::int64_t allocations = 0;

}  // namespace

void* operator new(std::size_t size) {
  ++allocations;
  if (void* p = std::malloc(size)) return p;
  throw std::bad_alloc();
}
void operator delete(void* p) noexcept {
  std::free(p);
}
void operator delete(void* p, std::size_t) noexcept {
  std::free(p);
}

namespace redblue {

using namespace linalg;

namespace {

int failures = 0;

void expect(bool condition, const std::string& what) {
  if (condition) return;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::fprintf(stderr, "rank %d: %s\n", rank, what.c_str());
  ++failures;
}

std::string name(const GemmShape& s, const std::string& what) {
  return std::to_string(s.m) + " x " + std::to_string(s.n) + " x " + std::to_string(s.k) + ": " +
         what;
}

double reference(const GemmShape& s, std::int64_t row, std::int64_t column) {
  double sum = 0;
  for (std::int64_t l = 0; l < s.k; ++l)
    sum += matgen::random_element(matgen::seed_a, row, l) *
           matgen::random_element(matgen::seed_b, l, column);
  return sum;
}

void check_result(const GemmPlan<double>& plan, const GemmShape& s, double alpha, double beta,
                  const std::vector<double>& c) {
  bool right = true;
  for_each_element(plan.parts(Operand::c),
                   [&](std::int64_t row, std::int64_t column, std::int64_t offset) {
                     double wanted = alpha * reference(s, row, column);
                     if (beta != 0) wanted += beta * matgen::random_element(9, row, column);
                     right = right && std::abs(c[static_cast<std::size_t>(offset)] - wanted) <=
                                          1e-13 * static_cast<double>(s.k + 1);
                   });
  expect(right, name(s, "wrong product"));
}

void check_counts(comm::Communicator& world, const GemmPlan<double>& plan, const GemmShape& s,
                  const GemmOptions& options) {
  const Traffic traffic = plan.traffic().total();
  const Cost predicted = cost_of(plan.decomposition(), {});
  expect(world.maximum(traffic.words_received.value) == predicted.words.value,
         name(s, "words differ from the plan"));
  expect(world.maximum(traffic.messages_received.value) == predicted.messages.value,
         name(s, "messages differ from the plan"));
  if (options.overlap) return;
  expect(plan.memory() <= predicted.memory, name(s, "more memory than planned"));
  std::vector<double> totals = {static_cast<double>(traffic.words_received.value),
                                static_cast<double>(traffic.words_sent.value)};
  world.sum(totals);
  expect(totals[0] == totals[1], name(s, "words sent and received differ"));
}

// Every element of an operand is owned once.
void check_ownership(comm::Communicator& world, const GemmPlan<double>& plan, Operand operand,
                     std::int64_t elements) {
  std::vector<double> owned = {static_cast<double>(plan.owned(operand).value)};
  world.sum(owned);
  expect(owned[0] == static_cast<double>(elements), "elements without an owner");
}

void multiply(comm::Communicator& world, const GemmShape& s, const GemmOptions& options) {
  GemmPlan<double> plan(MPI_COMM_WORLD, s, options);
  check_ownership(world, plan, Operand::a, s.m * s.k);
  check_ownership(world, plan, Operand::b, s.k * s.n);
  check_ownership(world, plan, Operand::c, s.m * s.n);
  const std::vector<double> a = matgen::random_part(plan, Operand::a, matgen::seed_a);
  const std::vector<double> b = matgen::random_part(plan, Operand::b, matgen::seed_b);
  // beta = 0 must not read C
  std::vector<double> c(static_cast<std::size_t>(plan.owned(Operand::c).value),
                        std::numeric_limits<double>::quiet_NaN());
  plan.execute(1.0, a.data(), b.data(), 0.0, c.data());
  check_result(plan, s, 1.0, 0.0, c);
  check_counts(world, plan, s, options);
  const matgen::Residual residual =
      matgen::check_product(world, s, patches_of(plan.parts(Operand::c)), c.data());
  expect(residual.ok, name(s, "residual"));
  c = matgen::random_part(plan, Operand::c, 9);
  const std::int64_t before = allocations;
  plan.execute(-0.5, a.data(), b.data(), 2.0, c.data());
  const bool allocated = allocations != before;
  expect(!allocated, name(s, "execute allocates"));
  check_result(plan, s, -0.5, 2.0, c);
}

GemmOptions by_doubling(std::optional<Words> memory = {}) {
  GemmOptions options;
  options.memory = memory;
  options.exchange = Exchange::doubling;
  return options;
}

std::int64_t least_memory(const GemmShape& s, GemmOptions options) {
  options.memory = Words(1);
  try {
    GemmPlan<double>(MPI_COMM_WORLD, s, options);
    expect(false, "one word accepted");
  } catch (const Error& e) {
    return e.least().value();
  }
  return 0;
}

void within_memory(comm::Communicator& world, const GemmShape& s) {
  const std::int64_t doubling = least_memory(s, by_doubling());
  for (const std::int64_t memory : {doubling, doubling + doubling / 3, 2 * doubling}) {
    multiply(world, s, by_doubling(Words(memory)));
  }
  const std::int64_t needed = least_memory(s, {});
  multiply(world, s, {Words(needed), Objective::words, {}});
  multiply(world, s, {Words(needed + needed / 3), Objective::words, {}});
  multiply(world, s, {Words(needed + needed / 3), Objective::words, {}, true});
  multiply(world, s, {Words(needed), Objective::words, {}, false, Backend::one_sided});
  multiply(world, s, {Words(needed + needed / 3), Objective::words, {}, true, Backend::one_sided});
}

void check_wrong_result_is_noticed(comm::Communicator& world) {
  const GemmShape s = {40, 50, 60};
  GemmPlan<double> plan(MPI_COMM_WORLD, s);
  const std::vector<double> a = matgen::random_part(plan, Operand::a, matgen::seed_a);
  const std::vector<double> b = matgen::random_part(plan, Operand::b, matgen::seed_b);
  std::vector<double> c(static_cast<std::size_t>(plan.owned(Operand::c).value));
  plan.execute(1.0, a.data(), b.data(), 0.0, c.data());
  if (world.rank().value == 0 && !c.empty()) c.front() += 1e-6;
  expect(!matgen::check_product(world, s, patches_of(plan.parts(Operand::c)), c.data()).ok,
         "a wrong element passes the check");
}

// A null array, a layout that does not fit, another layout on one rank: all ranks throw.
void check_wrong_arguments(const comm::Communicator& world) {
  const auto refused = [](const std::string& what, auto call) {
    try {
      call();
      expect(false, what + " accepted");
    } catch (const Error&) {
    }
  };
  const Rank me = world.rank();
  const int ranks = world.size();
  const BlockCyclic square = block_cyclic(30, 30, 4, 1, ranks, me);
  const std::vector<double> array(static_cast<std::size_t>(array_words(square, me).value) + 1);
  std::vector<double> result = array;
  GemmPlan<double> plan(MPI_COMM_WORLD, {Op::none, square, Op::none, square, square});
  refused("no A on rank 0", [&] {
    plan.execute(1, me.value == 0 ? nullptr : array.data(), array.data(), 0, result.data());
  });
  Redistribution<double> move(MPI_COMM_WORLD, Op::none, square, square);
  refused("no B on rank 0",
          [&] { move.execute(1, array.data(), 0, me.value == 0 ? nullptr : result.data()); });
  const auto with = [&](auto change) {
    BlockCyclic wrong = square;
    change(wrong);
    return GemmLayouts{Op::none, wrong, Op::none, square, square};
  };
  for (const GemmLayouts& layouts :
       {with([](BlockCyclic& l) { l.rows = 29; }), with([](BlockCyclic& l) { l.rows = -1; }),
        with([&](BlockCyclic& l) { l.leading = me.value == ranks - 1 ? 1 : l.leading; }),
        with([](BlockCyclic& l) { l.ranks.front() = Rank{1000}; }),
        with([](BlockCyclic& l) { l.down.block = 0; })}) {
    refused("a wrong layout", [&] { GemmPlan<double>(MPI_COMM_WORLD, layouts); });
  }
  GemmOptions ahead = by_doubling();
  ahead.overlap = true;
  refused("doubling with overlap", [&] { GemmPlan<double>(MPI_COMM_WORLD, {9, 9, 9}, ahead); });
  if (ranks > 1) {
    refused("another layout on rank 0", [&] {
      GemmPlan<double>(MPI_COMM_WORLD,
                       with([&](BlockCyclic& l) { l.down.block = me.value == 0 ? 3 : 4; }));
    });
  }
}

void check_disagreement(const comm::Communicator& world) {
  if (world.size() == 1) return;
  try {
    GemmPlan<double>(MPI_COMM_WORLD, {10 + world.rank().value, 10, 10});
    expect(false, "ranks with different sizes accepted");
  } catch (const Error&) {
  }
  GemmOptions options;
  options.objective = Objective::seconds;
  const bool slow = world.rank().value == 0;  // so slow that one rank had better work alone
  options.machine.latency_seconds = slow ? 10 : 0;
  options.machine.bytes_per_second = slow ? 1 : 1e12;
  options.machine.flops_per_second = 1e9;
  try {
    GemmPlan<double>(MPI_COMM_WORLD, {100, 100, 100}, options);
    expect(false, "ranks with different machines accepted");
  } catch (const Error&) {
  }
}

void all() {
  comm::Communicator world(MPI_COMM_WORLD);
  for (const GemmShape& s :
       {GemmShape{48, 48, 48}, GemmShape{20, 20, 400}, GemmShape{400, 20, 20}, GemmShape{90, 80, 7},
        GemmShape{37, 41, 43}, GemmShape{1, 1, 1}, GemmShape{2, 3, 2}, GemmShape{1, 50, 1},
        GemmShape{5, 1, 64}, GemmShape{0, 4, 4}, GemmShape{4, 0, 4}, GemmShape{4, 4, 0},
        GemmShape{0, 0, 0}}) {
    multiply(world, s, {});
    multiply(world, s, {{}, Objective::seconds, {}});
    multiply(world, s, by_doubling());
    multiply(world, s, {{}, Objective::words, {}, false, Backend::one_sided});
  }
  for (const GemmShape& s : {GemmShape{48, 48, 48}, GemmShape{37, 41, 43}, GemmShape{20, 20, 200},
                             GemmShape{60, 50, 9}, GemmShape{12, 15, 3000}}) {
    within_memory(world, s);
  }
  check_wrong_result_is_noticed(world);
  check_disagreement(world);
  check_wrong_arguments(world);
  failures = world.all(failures == 0) ? 0 : 1;
}

}  // namespace
}  // namespace redblue

int main() {
  const redblue::comm::Session session;
  redblue::all();
  return redblue::failures;
}
