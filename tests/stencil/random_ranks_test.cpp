// SPDX-License-Identifier: BSD-3-Clause
// Run under mpirun on any number of ranks: random stencil programs by random schemes, depths and
// grids, in float and double, against the sequential program bit for bit, and what they count
// against what is predicted.
//   stencil_random_test --cases N [--from SEED]
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <map>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "redblue/error.hpp"
#include "redblue/stencil.hpp"
#include "stencil/point_by_point.hpp"
#include "stencil/random_stencils.hpp"

namespace redblue::stencil {

namespace {

// Depends on everything an update may depend on; the order of operations is fixed.
template <class T, class At>
T new_value(const StencilProgram& p, int sweep, std::int64_t step, const MeshIndex& i, At at) {
  T value = T(0.01) * static_cast<T>((i[0] + 2 * i[1] + 3 * i[2] + step) % 7);
  T weight = T(0.3);
  for (const StencilRead& r : p.sweeps[static_cast<std::size_t>(sweep)].reads) {
    for (std::int64_t x = -r.below[0]; x <= r.above[0]; ++x) {
      for (std::int64_t y = -r.below[1]; y <= r.above[1]; ++y) {
        for (std::int64_t z = -r.below[2]; z <= r.above[2]; ++z) {
          if (r.star && (x != 0) + (y != 0) + (z != 0) > 1) continue;
          value = value + weight * at(r.field, MeshIndex{i[0] + x, i[1] + y, i[2] + z});
          weight = weight * T(-0.6);
        }
      }
    }
  }
  return value;
}

template <class T>
std::vector<StencilUpdate<T>> updates_of(const StencilProgram& p) {
  const StencilUpdate<T> update = [p](const StencilCall<T>& c) {
    const auto at = [&c](int field, const MeshIndex& i) {
      return *c.fields[static_cast<std::size_t>(field)].at(i);
    };
    MeshIndex i;
    for (i[0] = c.box.begin[0]; i[0] < c.box.end[0]; ++i[0]) {
      for (i[1] = c.box.begin[1]; i[1] < c.box.end[1]; ++i[1]) {
        for (i[2] = c.box.begin[2]; i[2] < c.box.end[2]; ++i[2]) {
          *c.target.at(i) = new_value<T>(p, c.sweep, c.step, i, at);
        }
      }
    }
  };
  return std::vector<StencilUpdate<T>>(p.sweeps.size(), update);
}

template <class T>
T first_value(int field, std::size_t at) {
  return static_cast<T>((at * 2654435761u + static_cast<std::size_t>(field) * 40503u) % 1000) /
         T(997);
}

struct Outcome {
  std::string wrong;  // empty: right
  std::int64_t compared = 0;
};

std::string facts(const StencilProgram& p, const StencilDecomposition& d, std::int64_t steps) {
  char text[200];
  std::snprintf(text, sizeof text, "%s, %d fields, %d sweeps, %lld x %lld x %lld%s, %lld steps",
                d.name().c_str(), p.fields, static_cast<int>(p.sweeps.size()),
                static_cast<long long>(p.extents[0]), static_cast<long long>(p.extents[1]),
                static_cast<long long>(p.extents[2]),
                p.boundary == StencilBoundary::periodic ? " periodic" : "",
                static_cast<long long>(steps));
  return text;
}

// Calls f(index in the mesh, offset in the array) for all that a rank owns.
template <class F>
void for_each_owned(const StencilProgram& p, const std::vector<StencilBlock>& blocks, F f) {
  for (const StencilBlock& b : blocks) {
    std::size_t offset = static_cast<std::size_t>(b.offset);
    MeshIndex i;
    for (i[0] = b.box.begin[0]; i[0] < b.box.end[0]; ++i[0]) {
      for (i[1] = b.box.begin[1]; i[1] < b.box.end[1]; ++i[1]) {
        for (i[2] = b.box.begin[2]; i[2] < b.box.end[2]; ++i[2]) f(place(p, i), offset++);
      }
    }
  }
}

template <class T>
std::string compare(const StencilPlan<T>& plan, const std::vector<std::vector<T>>& mine,
                    const std::vector<std::vector<T>>& expected, std::int64_t& compared) {
  std::string wrong;
  for (std::size_t f = 0; f < mine.size(); ++f) {
    for_each_owned(plan.program(), plan.blocks(), [&](std::size_t at, std::size_t offset) {
      ++compared;
      if (std::memcmp(&mine[f][offset], &expected[f][at], sizeof(T)) != 0 && wrong.empty()) {
        wrong = "field " + std::to_string(f) + " at " + std::to_string(at) + ": " +
                std::to_string(mine[f][offset]) + ", expected " + std::to_string(expected[f][at]);
      }
    });
  }
  return wrong;
}

std::string compare_counts(comm::Communicator& world, const StencilTraffic& t, Words memory,
                           const StencilCost& predicted) {
  const auto check = [&world](const char* what, std::int64_t counted, std::int64_t expected) {
    const std::int64_t most = world.maximum(counted);
    return most == expected ? std::string()
                            : std::string(what) + " " + std::to_string(most) + ", predicted " +
                                  std::to_string(expected) + "; ";
  };
  return check("words", t.exchange.words_received.value, predicted.words.value) +
         check("messages", t.exchange.messages_received.value, predicted.messages.value) +
         check("synchronisations", t.synchronisations, predicted.synchronisations) +
         check("updates", t.updates, predicted.updates) +
         check("memory", memory.value, predicted.memory.value);
}

template <class T>
Outcome run_case(std::uint64_t seed, comm::Communicator& world, std::string& said) {
  Random random(seed);
  StencilProgram program = random_program(random);
  const StencilDecomposition d = random_decomposition(random, program, world.size());
  StencilOptions options;
  options.steps = random.between(0, 9);
  options.overlap = random.one_in(2);
  options.decomposition = d;
  options.seconds_per_update = 1e-9;
  // caches so small that tiles are cut
  if (random.one_in(2)) {
    options.machine.levels = {{"cache", 1, random.between(20, 600), 0},
                              {"memory", 1, 1 << 30, 0.1}};
  }
  said = facts(program, d, options.steps);
  StencilPlan<T> plan(MPI_COMM_WORLD, program, updates_of<T>(program), options);
  std::vector<std::vector<T>> expected(static_cast<std::size_t>(program.fields));
  std::vector<std::vector<T>> mine(expected.size());
  std::vector<T*> pointers;
  for (std::size_t f = 0; f < expected.size(); ++f) {
    const auto points =
        static_cast<std::size_t>(program.extents[0] * program.extents[1] * program.extents[2]);
    for (std::size_t i = 0; i < points; ++i) {
      expected[f].push_back(first_value<T>(static_cast<int>(f), i));
    }
    mine[f].resize(static_cast<std::size_t>(plan.owned().value));
    for_each_owned(program, plan.blocks(),
                   [&](std::size_t at, std::size_t offset) { mine[f][offset] = expected[f][at]; });
    pointers.push_back(mine[f].data());
  }
  Outcome outcome;
  std::int64_t step = 0;
  for (const std::int64_t steps : {options.steps, options.steps, std::int64_t{3}}) {
    plan.execute(pointers, steps, step);
    if (steps == options.steps) {
      outcome.wrong += compare_counts(world, plan.traffic(), plan.memory(), plan.predicted());
    }
    run_point_by_point<T>(program, expected, steps, step,
                          [&](int s, std::int64_t t, const MeshIndex& i, auto at) {
                            return new_value<T>(program, s, t, i, at);
                          });
    step += steps;
  }
  outcome.wrong += compare(plan, mine, expected, outcome.compared);
  return outcome;
}

// Too narrow blocks, two buffers used in two ways: no case. The same on all ranks.
bool possible(std::uint64_t seed, int ranks) {
  Random random(seed);
  try {
    const StencilProgram program = random_program(random);
    const StencilDecomposition d = random_decomposition(random, program, ranks);
    cost_of(program, d, 9, Machine{});
    cost_of(program, d, 3, Machine{});
    return true;
  } catch (const Error&) {
    return false;
  }
}

// The header's example: a lambda of one point; scheme and depth chosen by what is measured.
bool lambda_is_right() {
  const StencilProgram p = stencil_program(2, 40, 1, true, StencilBoundary::fixed);
  const auto average = [](const auto& old) {
    return 0.25 * (old(-1, 0) + old(1, 0) + old(0, -1) + old(0, 1));
  };
  StencilOptions options;
  options.steps = 6;
  StencilPlan<double> plan(MPI_COMM_WORLD, p, {update_points<double>(2, average)}, options);
  std::vector<std::vector<double>> expected(1);
  for (std::size_t i = 0; i < 1600; ++i) expected[0].push_back(first_value<double>(0, i));
  std::vector<std::vector<double>> mine(1);
  for_each_owned(p, plan.blocks(),
                 [&](std::size_t at, std::size_t) { mine[0].push_back(expected[0][at]); });
  double* const fields[] = {mine[0].data()};
  plan.execute(fields, options.steps);
  run_point_by_point<double>(
      p, expected, options.steps, 0, [](int, std::int64_t, const MeshIndex& i, auto at) {
        return 0.25 * (at(0, MeshIndex{i[0] - 1, i[1], 0}) + at(0, MeshIndex{i[0] + 1, i[1], 0}) +
                       at(0, MeshIndex{i[0], i[1] - 1, 0}) + at(0, MeshIndex{i[0], i[1] + 1, 0}));
      });
  std::int64_t compared = 0;
  return compare(plan, mine, expected, compared).empty() && compared == plan.owned().value;
}

int run(std::int64_t cases, std::uint64_t seed) {
  comm::Communicator world(MPI_COMM_WORLD);
  const bool is_root = world.rank().value == 0;
  if (!world.all(lambda_is_right())) {
    if (is_root) std::fprintf(stderr, "the example of redblue/stencil.hpp is wrong\n");
    return 1;
  }
  std::map<std::string, int> tried;
  double compared = 0;
  for (std::int64_t done = 0; done < cases; ++seed) {
    if (!possible(seed, world.size())) continue;
    std::string said;
    Outcome outcome;
    try {
      outcome =
          seed % 2 == 0 ? run_case<double>(seed, world, said) : run_case<float>(seed, world, said);
    } catch (const std::exception& e) {
      outcome.wrong = e.what();
    }
    const bool right = outcome.wrong.empty();
    const int first = static_cast<int>(
        -world.maximum(-static_cast<std::int64_t>(right ? world.size() : world.rank().value)));
    if (first < world.size()) {
      if (first == world.rank().value) {
        std::fprintf(stderr, "seed %llu, rank %d of %d: %s: %s\n",
                     static_cast<unsigned long long>(seed), first, world.size(), said.c_str(),
                     outcome.wrong.c_str());
      }
      return 1;
    }
    std::vector<double> total = {static_cast<double>(outcome.compared)};
    world.sum(total);
    compared += total[0];
    ++tried[said.substr(0, said.find(','))];
    ++done;
  }
  const bool enough = compared >= static_cast<double>(cases) && (cases < 40 || tried.size() == 4);
  if (is_root) {
    std::printf("%lld random stencils on %d ranks are right, %.0f values compared:",
                static_cast<long long>(cases), world.size(), compared);
    for (const auto& [scheme, times] : tried) std::printf(" %d %s", times, scheme.c_str());
    std::printf("\n");
  }
  return enough ? 0 : 1;
}

}  // namespace

}  // namespace redblue::stencil

int main(int argc, char** argv) {
  const redblue::comm::Session session;
  std::int64_t cases = 40;
  std::uint64_t seed = 1;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::string(argv[i]) == "--cases") cases = std::atoll(argv[i + 1]);
    if (std::string(argv[i]) == "--from") seed = std::strtoull(argv[i + 1], nullptr, 10);
  }
  return redblue::stencil::run(cases, seed);
}
