// SPDX-License-Identifier: BSD-3-Clause
// One factorization, update or multiplication on simulated ranks (SimGrid's SMPI; bench/simulate
// and bench/simulate_gemm build and run it): what moves into the busiest rank, counted, beside the
// model.
//   simulated syrk N K | trsm N K | cholesky N | lu N | gemm M N K [MEMORY]
//           | stencil D N STEPS SCHEME DEPTH
//           | einsum TEXT Ni=..,Nj=..
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <variant>
#include <vector>

#include "comm/communicator.hpp"
#include "layout/arrangement.hpp"
#include "matgen/check.hpp"
#include "redblue/einsum_plan.hpp"
#include "redblue/factor.hpp"
#include "redblue/lower_bound.hpp"
#include "redblue/solve.hpp"
#include "redblue/stencil.hpp"

namespace {

using namespace redblue;
using namespace redblue::linalg;

struct Moved {
  Traffic kernel, redistribute;
  Cost predicted;
  double bound;
};

// Block-cyclic on the squarest grid, blocks of 64.
BlockCyclic layout_of(std::int64_t rows, std::int64_t columns, const comm::Communicator& world) {
  const int down = squarest_grid_rows(world.size());
  return block_cyclic(rows, columns, 64, down, world.size() / down, world.rank());
}

template <class Element>
std::vector<double> filled(const BlockCyclic& layout, const comm::Communicator& world,
                           Element element) {
  return matgen::array_of<double>(local_patches(layout, world), array_words(layout, world.rank()),
                                  element);
}

Moved syrk(std::int64_t n, std::int64_t k) {
  SyrkPlan<double> plan(MPI_COMM_WORLD, {n, k}, false);
  const auto words = [&plan](Operand o) {
    std::int64_t total = 0;
    for (const OwnedPart& p : plan.parts(o)) total += p.end - p.begin;
    return static_cast<std::size_t>(total);
  };
  const std::vector<double> a(words(Operand::a), 1);
  std::vector<double> c(words(Operand::c));
  plan.execute(1, a.data(), nullptr, 0, c.data());
  return {plan.traffic().total(),
          {},
          cost_of(plan.decomposition(), {}),
          lower_bound(plan.decomposition())};
}

Moved cholesky(std::int64_t n, const comm::Communicator& world) {
  const BlockCyclic layout = layout_of(n, n, world);
  std::vector<double> a = filled(
      layout, world, [n](auto i, auto j) { return matgen::definite_number<double>(i, j, n); });
  CholeskyPlan<double> plan(MPI_COMM_WORLD, Triangle::lower, layout);
  if (plan.execute(a.data()) != 0) std::abort();
  return {plan.traffic().factor, plan.traffic().redistribute, cost_of(plan.decomposition(), {}),
          lower_bound(plan.decomposition())};
}

Moved lu(std::int64_t n, const comm::Communicator& world) {
  const BlockCyclic layout = layout_of(n, n, world);
  std::vector<double> a = filled(layout, world, [](auto i, auto j) {
    return matgen::random_number<double>(matgen::seed_a, i, j);
  });
  LuPlan<double> plan(MPI_COMM_WORLD, layout);
  if (plan.execute(a.data()) != 0) std::abort();
  return {plan.traffic().factor, plan.traffic().redistribute, cost_of(plan.decomposition(), {}),
          lower_bound(plan.decomposition())};
}

Moved trsm(std::int64_t n, std::int64_t k, const comm::Communicator& world) {
  TrsmLayouts layouts;
  layouts.t = layout_of(n, n, world);
  layouts.b = layout_of(n, k, world);
  const std::vector<double> t =
      filled(std::get<BlockCyclic>(layouts.t), world,
             [n](auto i, auto j) { return matgen::triangular_number<double>(i, j, n); });
  std::vector<double> b = filled(std::get<BlockCyclic>(layouts.b), world, [](auto i, auto j) {
    return matgen::random_number<double>(matgen::seed_b, i, j);
  });
  TrsmPlan<double> plan(MPI_COMM_WORLD, layouts);
  plan.execute(1, t.data(), b.data());
  if (plan.few()) {
    return {plan.traffic().solve, plan.traffic().redistribute, cost_of(*plan.few(), {}),
            lower_bound(*plan.few())};
  }
  return {plan.traffic().solve, plan.traffic().redistribute, cost_of(plan.decomposition(), {}),
          lower_bound(plan.decomposition())};
}

// C = A B of ones in the native layout, checked; beside it what others' decompositions move.
void gemm(const GemmShape& shape, std::optional<Words> memory) {
  comm::Communicator world(MPI_COMM_WORLD);
  GemmOptions options;
  options.memory = memory;
  GemmPlan<double> plan(MPI_COMM_WORLD, shape, options);
  const auto ones = [&plan](Operand o) {
    return std::vector<double>(static_cast<std::size_t>(plan.owned(o).value), 1);
  };
  const std::vector<double> a = ones(Operand::a);
  const std::vector<double> b = ones(Operand::b);
  std::vector<double> c = ones(Operand::c);
  plan.execute(1, a.data(), b.data(), 0, c.data());
  for (const double x : c) {
    if (x != static_cast<double>(shape.k)) std::abort();
  }
  const std::int64_t words = world.maximum(plan.traffic().total().words_received.value);
  const std::int64_t messages = world.maximum(plan.traffic().total().messages_received.value);
  std::vector<double> total = {static_cast<double>(plan.traffic().total().words_received.value)};
  world.sum(total);
  const std::int64_t held = world.maximum(plan.memory().value);
  if (world.rank().value != 0) return;
  const GemmPlanReport report = plan_gemm({shape, world.size(), memory, Objective::words, {}});
  std::printf(
      "{\"kernel\": \"gemm\", \"m\": %lld, \"n\": %lld, \"k\": %lld, \"ranks\": %d, \"limit\": "
      "%lld, "
      "\"words\": %lld, \"predicted\": %lld, \"bound\": %.0f, \"memory\": %lld, "
      "\"mean\": %.0f, \"messages\": %lld",
      static_cast<long long>(shape.m), static_cast<long long>(shape.n),
      static_cast<long long>(shape.k), world.size(),
      static_cast<long long>(memory.value_or(Words()).value), static_cast<long long>(words),
      static_cast<long long>(report.cost.words.value), report.lower_bound,
      static_cast<long long>(held), total.front() / world.size(), static_cast<long long>(messages));
  for (const Alternative& other : report.alternatives) {
    std::printf(", \"%s\": %lld", other.name.c_str(),
                static_cast<long long>(other.cost.words.value));
  }
  std::printf("}\n");
}

// Of ones in the plan's own layout, checked.
void einsum(const std::string& text, const std::string& sizes) {
  comm::Communicator world(MPI_COMM_WORLD);
  std::map<std::string, std::int64_t> extents;
  std::istringstream in(sizes);
  for (std::string one; std::getline(in, one, ',');)
    extents[one.substr(0, one.find('='))] = std::atoll(one.c_str() + one.find('=') + 1);
  const EinsumShape shape = einsum_shape(text, extents);
  EinsumPlan<double> plan(MPI_COMM_WORLD, shape);
  std::vector<std::vector<double>> arrays;
  for (std::size_t t = 0; t < shape.tensors.size(); ++t)
    arrays.emplace_back(static_cast<std::size_t>(plan.owned(t).value), 1);
  std::vector<const double*> operands;
  for (std::size_t o = 0; o < shape.operands(); ++o) operands.push_back(arrays[o].data());
  plan.execute(1, operands, 0, arrays.back().data());
  if (shape.statements.empty()) {
    const double expected = shape.products() / static_cast<double>(shape.elements(shape.result()));
    for (const double x : arrays.back()) {
      if (std::abs(x - expected) > 1e-9 * expected) std::abort();
    }
  }
  const std::int64_t words = world.maximum(plan.traffic().total().words_received.value);
  const std::int64_t messages = world.maximum(plan.traffic().total().messages_received.value);
  if (world.rank().value != 0) return;
  const EinsumChainReport& report = plan.plan();
  std::printf(
      "{\"kernel\": \"einsum\", \"einsum\": \"%s\", \"ranks\": %d, \"words\": %lld, "
      "\"predicted\": %lld, \"messages\": %lld, \"predicted_messages\": %lld, \"bound\": %.0f, "
      "\"steps\": %d}\n",
      text.c_str(), world.size(), static_cast<long long>(words),
      static_cast<long long>(report.cost.words.value), static_cast<long long>(messages),
      static_cast<long long>(report.cost.messages.value), report.lower_bound,
      static_cast<int>(report.steps.size()));
}

// Averages over a box of radius 1 on a mesh of n points in each dimension.
void stencil(int dimensions, std::int64_t n, std::int64_t steps, const char* scheme,
             std::int64_t depth) {
  comm::Communicator world(MPI_COMM_WORLD);
  StencilOptions options;
  options.steps = steps;
  options.depth = depth;
  options.seconds_per_update = 1e-9;
  for (const StencilScheme s : {StencilScheme::pa0, StencilScheme::pa1, StencilScheme::trapezoid,
                                StencilScheme::outer_blocked}) {
    if (name(s) == scheme) options.scheme = s;
  }
  const auto nothing = [](const StencilCall<double>&) {};
  StencilPlan<double> plan(MPI_COMM_WORLD,
                           stencil_program(dimensions, n, 1, false, StencilBoundary::fixed),
                           {nothing}, options);
  std::vector<double> field(static_cast<std::size_t>(plan.owned().value), 1);
  double* const fields[] = {field.data()};
  plan.execute(fields, steps);
  const std::int64_t words = world.maximum(plan.traffic().exchange.words_received.value);
  const std::int64_t synchronisations = world.maximum(plan.traffic().synchronisations);
  const std::int64_t updates = world.maximum(plan.traffic().updates);
  if (world.rank().value != 0) return;
  std::printf(
      "{\"kernel\": \"stencil\", \"ranks\": %d, \"scheme\": \"%s\", \"depth\": %lld, "
      "\"max_words_received\": %lld, \"synchronisations\": %lld, \"updates\": %lld, "
      "\"memory_traffic_words\": %lld}\n",
      world.size(), name(plan.decomposition().scheme).c_str(),
      static_cast<long long>(plan.decomposition().depth), static_cast<long long>(words),
      static_cast<long long>(synchronisations), static_cast<long long>(updates),
      static_cast<long long>(plan.predicted().memory_traffic.value));
}

void run(int argc, char** argv) {
  if (argc > 6 && std::strcmp(argv[1], "stencil") == 0) {
    return stencil(std::atoi(argv[2]), std::atoll(argv[3]), std::atoll(argv[4]), argv[5],
                   std::atoll(argv[6]));
  }
  if (argc > 3 && std::strcmp(argv[1], "einsum") == 0) return einsum(argv[2], argv[3]);
  if (argc > 4 && std::strcmp(argv[1], "gemm") == 0) {
    std::optional<Words> memory;
    if (argc > 5 && std::atoll(argv[5]) > 0) memory = Words(std::atoll(argv[5]));
    return gemm({std::atoll(argv[2]), std::atoll(argv[3]), std::atoll(argv[4])}, memory);
  }
  comm::Communicator world(MPI_COMM_WORLD);
  const std::int64_t n = argc > 2 ? std::atoll(argv[2]) : 1024;
  const std::int64_t k = argc > 3 ? std::atoll(argv[3]) : n;
  const std::string kernel = argc > 1 ? argv[1] : "cholesky";
  const Moved m = kernel == "syrk"   ? syrk(n, k)
                  : kernel == "trsm" ? trsm(n, k, world)
                  : kernel == "lu"   ? lu(n, world)
                                     : cholesky(n, world);
  const std::int64_t words = world.maximum(m.kernel.words_received.value);
  std::vector<double> total = {static_cast<double>(m.kernel.words_received.value)};
  world.sum(total);
  const std::int64_t messages = world.maximum(m.kernel.messages_received.value);
  const std::int64_t moved = world.maximum(m.redistribute.words_received.value);
  if (world.rank().value != 0) return;
  std::printf(
      "{\"kernel\": \"%s\", \"n\": %lld, \"k\": %lld, \"ranks\": %d, \"words\": %lld, \"mean\": "
      "%.0f, "
      "\"predicted\": %lld, \"bound\": %.0f, \"redistributed\": %lld, \"messages\": %lld}\n",
      kernel.c_str(), static_cast<long long>(n), static_cast<long long>(k), world.size(),
      static_cast<long long>(words), total.front() / world.size(),
      static_cast<long long>(m.predicted.words.value), m.bound, static_cast<long long>(moved),
      static_cast<long long>(messages));
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  run(argc, argv);
  MPI_Finalize();
  return 0;
}
