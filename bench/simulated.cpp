// One factorization or update on simulated ranks (SimGrid's SMPI; bench/simulate builds and runs
// it): what moves into the busiest rank, counted, beside the model.
//   simulated syrk N K | cholesky N | lu N
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <vector>

#include "comm/communicator.hpp"
#include "layout/arrangement.hpp"
#include "linalg/check.hpp"
#include "redblue/factor.hpp"

namespace {

using namespace redblue;

struct Moved {
  Traffic kernel, redistribute;
  Cost predicted;
};

// Block-cyclic on the squarest grid, blocks of 64.
BlockCyclic layout_of(std::int64_t n, const comm::Communicator& world) {
  const int down = squarest_grid_rows(world.size());
  return block_cyclic(n, n, 64, down, world.size() / down, world.rank());
}

template <class Element>
std::vector<double> filled(const BlockCyclic& layout, const comm::Communicator& world,
                           Element element) {
  return array_of<double>(held_patches(layout, world), array_words(layout, world.rank()), element);
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
  return {plan.traffic().total(), {}, cost_of(plan.decomposition(), {})};
}

Moved cholesky(std::int64_t n, const comm::Communicator& world) {
  const BlockCyclic layout = layout_of(n, world);
  std::vector<double> a =
      filled(layout, world, [n](auto i, auto j) { return definite_number<double>(i, j, n); });
  CholeskyPlan<double> plan(MPI_COMM_WORLD, Triangle::lower, layout);
  if (plan.execute(a.data()) != 0) std::abort();
  return {plan.traffic().factor, plan.traffic().redistribute, cost_of(plan.decomposition(), {})};
}

Moved lu(std::int64_t n, const comm::Communicator& world) {
  const BlockCyclic layout = layout_of(n, world);
  std::vector<double> a =
      filled(layout, world, [](auto i, auto j) { return random_number<double>(seed_a, i, j); });
  LuPlan<double> plan(MPI_COMM_WORLD, layout);
  if (plan.execute(a.data()) != 0) std::abort();
  return {plan.traffic().factor, plan.traffic().redistribute, cost_of(plan.decomposition(), {})};
}

void run(int argc, char** argv) {
  comm::Communicator world(MPI_COMM_WORLD);
  const std::int64_t n = argc > 2 ? std::atoll(argv[2]) : 1024;
  const std::int64_t k = argc > 3 ? std::atoll(argv[3]) : n;
  const bool is_syrk = argc > 1 && std::strcmp(argv[1], "syrk") == 0;
  const bool is_lu = argc > 1 && std::strcmp(argv[1], "lu") == 0;
  const Moved m = is_syrk ? syrk(n, k) : is_lu ? lu(n, world) : cholesky(n, world);
  const std::int64_t words = world.maximum(m.kernel.words_received.value);
  const std::int64_t messages = world.maximum(m.kernel.messages_received.value);
  const std::int64_t moved = world.maximum(m.redistribute.words_received.value);
  if (world.rank().value != 0) return;
  std::printf(
      "{\"kernel\": \"%s\", \"n\": %lld, \"ranks\": %d, \"words\": %lld, \"predicted\": "
      "%lld, \"redistributed\": %lld, \"messages\": %lld}\n",
      is_syrk ? "syrk"
      : is_lu ? "lu"
              : "cholesky",
      static_cast<long long>(n), world.size(), static_cast<long long>(words),
      static_cast<long long>(m.predicted.words.value), static_cast<long long>(moved),
      static_cast<long long>(messages));
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  run(argc, argv);
  MPI_Finalize();
  return 0;
}
