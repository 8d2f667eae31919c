// SPDX-License-Identifier: BSD-3-Clause
// Random summations on the ranks this is started on: every element against a sum written out,
// words, messages and memory against the plan. Where asked for, writes operands and results to
// files that bench/random_einsums compares with NumPy.
//   einsum_ranks_test CASES FIRST [FOLDER]
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "decomposition/einsum/random_einsum.hpp"
#include "matgen/einsum_check.hpp"
#include "redblue/einsum_plan.hpp"
#include "redblue/error.hpp"

namespace redblue::test {
namespace {

struct Case {
  int seed = 0;
  EinsumShape shape;
  std::optional<Words> memory;
  EinsumOrder order = EinsumOrder::automatic;
  std::vector<std::optional<EinsumLayout>> layouts;
  std::string folder;
};

// All elements of a tensor, as an array in C, on every rank.
template <class T>
std::vector<std::complex<double>> gathered(comm::Communicator& world, const EinsumPlan<T>& plan,
                                           std::size_t tensor, const std::vector<T>& mine) {
  const EinsumShape& shape = plan.shape();
  std::vector<std::complex<double>> all(
      static_cast<std::size_t>(shape.elements(shape.tensors[tensor])));
  plan.for_each_element(tensor, [&](std::int64_t place, std::int64_t offset) {
    all[static_cast<std::size_t>(place)] = mine[static_cast<std::size_t>(offset)];
  });
  if (!all.empty()) world.sum(all);
  return all;
}

void write(const std::string& path, const std::vector<std::complex<double>>& values) {
  std::ofstream out(path, std::ios::binary);
  for (const std::complex<double>& v : values) {
    const double parts[] = {v.real(), v.imag()};
    out.write(reinterpret_cast<const char*>(parts), sizeof parts);
  }
}

template <class T>
void save(comm::Communicator& world, const Case& c, const EinsumPlan<T>& plan, char type,
          const std::vector<std::vector<T>>& arrays) {
  if (c.folder.empty()) return;
  const bool writes = world.rank().value == 0;
  const std::string name = c.folder + "/" + std::to_string(c.seed);
  std::ofstream head;
  if (writes) head.open(name + ".txt");
  if (writes) head << c.shape.text << " " << type << "\n";
  for (std::size_t a = 0; a < arrays.size(); ++a) {
    const auto all = gathered(world, plan, a, arrays[a]);
    if (!writes) continue;
    for (const std::int64_t e : c.shape.tensors[a].extents) head << e << " ";
    head << "\n";
    write(name + "." + std::to_string(a), all);
  }
}

bool report(const Case& c, const std::string& what, double found, double expected) {
  std::printf("case %d, %s: %s is %g, not %g\n", c.seed, c.shape.text.c_str(), what.c_str(), found,
              expected);
  return false;
}

template <class T>
bool holds(comm::Communicator& world, const Case& c, char type) {
  EinsumPlan<T> plan(MPI_COMM_WORLD, c.shape, {c.order, c.memory, Objective::words, {}, c.layouts});
  const std::size_t operands = c.shape.operands();
  std::vector<std::vector<T>> arrays;
  std::vector<const T*> pointers;
  for (std::size_t o = 0; o < operands; ++o) arrays.push_back(matgen::random_part(plan, o));
  for (const auto& array : arrays) pointers.push_back(array.data());
  arrays.emplace_back(static_cast<std::size_t>(plan.owned(operands).value), T(NAN));
  plan.execute(T(1), pointers, T(0), arrays.back().data());
  if (c.seed % 5 == 0) plan.execute(T(2), pointers, T(-1), arrays.back().data());  // the same again
  const auto residual = matgen::check_einsum(world, plan, arrays.back().data());
  const Cost planned = plan.plan().cost;
  const Traffic traffic = plan.traffic().total();
  const std::int64_t words = world.maximum(traffic.words_received.value);
  const std::int64_t messages = world.maximum(traffic.messages_received.value);
  const std::int64_t memory = world.maximum(plan.memory().value);
  save(world, c, plan, type, arrays);
  if (world.rank().value != 0) return true;
  bool ok = residual.ok || report(c, "the residual", residual.value, 0);
  ok = (words == planned.words.value ||
        report(c, "words", double(words), double(planned.words.value))) &&
       ok;
  ok = (messages == planned.messages.value ||
        report(c, "messages", double(messages), double(planned.messages.value))) &&
       ok;
  ok = (memory <= planned.memory.value ||
        report(c, "memory", double(memory), double(planned.memory.value))) &&
       ok;
  return ok;
}

// Without a case where a memory limit is too small for any schedule.
std::optional<Case> random_case(int seed, int ranks) {
  std::mt19937 random(static_cast<unsigned>(seed));
  Case c;
  c.seed = seed;
  const int kind = seed % 7;
  c.shape = shape_of(kind == 0   ? random_program(random, 9)
                     : kind == 2 ? random_batches(random)
                                 : random_einsum(random, 6, 8, true));
  if (kind == 1 || seed % 14 == 0) c.layouts = random_layouts(random, c.shape, ranks);
  constexpr double most = 3e5;
  if (c.shape.statements.empty() && c.shape.products() > most) return std::nullopt;
  constexpr EinsumOrder orders[] = {EinsumOrder::automatic, EinsumOrder::once,
                                    EinsumOrder::operations, EinsumOrder::words};
  c.order = orders[static_cast<std::size_t>(seed / 4 % 4)];
  if (seed % 3 != 0) return c;
  const EinsumPlanRequest request = {c.shape, ranks, {}, Objective::words, {}, c.layouts};
  const std::int64_t needed = plan_einsum_chain(request, c.order).cost.memory.value;
  for (const std::int64_t part : {3, 4}) {
    try {
      c.memory = Words(needed * part / 4);
      plan_einsum_chain({c.shape, ranks, c.memory, Objective::words, {}, c.layouts}, c.order);
      return c;
    } catch (const Error&) {
      c.memory.reset();
    }
  }
  return c;
}

int run(int cases, int first, const std::string& folder) {
  comm::Communicator world(MPI_COMM_WORLD);
  int checked = 0;
  int wrong = 0;
  for (int seed = first; checked < cases; ++seed) {
    std::optional<Case> c = random_case(seed, world.size());
    if (!c) continue;
    c->folder = folder;
    bool ok = true;
    if (seed % 4 == 0) ok = holds<double>(world, *c, 'd');
    if (seed % 4 == 1) ok = holds<float>(world, *c, 's');
    if (seed % 4 == 2) ok = holds<std::complex<double>>(world, *c, 'z');
    if (seed % 4 == 3) ok = holds<std::complex<float>>(world, *c, 'c');
    wrong += ok ? 0 : 1;
    ++checked;
  }
  if (world.rank().value == 0) std::printf("%d cases, %d wrong\n", checked, wrong);
  return world.all(wrong == 0) ? 0 : 1;
}

}  // namespace
}  // namespace redblue::test

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const redblue::comm::Session session;
  return redblue::test::run(std::atoi(argv[1]), std::atoi(argv[2]), argc > 3 ? argv[3] : "");
}
