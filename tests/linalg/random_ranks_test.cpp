// Run under mpirun on any number of ranks: random products and redistributions of all types,
// between random layouts, against one-rank BLAS on every rank.
//   random_ranks_test [SECONDS [SEED]]
// A failure prints the case's seed; the seed as the second argument runs it first.
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "linalg/blas.hpp"
#include "linalg/caller_layouts.hpp"
#include "linalg/gemm_check.hpp"
#include "redblue/error.hpp"
#include "redblue/linalg.hpp"

namespace redblue {
namespace {

constexpr std::uint64_t seed_c = 9;

// The same numbers on every rank.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(high - low + 1));
  }
  bool one_in(std::int64_t n) { return between(1, n) == 1; }

 private:
  std::mt19937_64 engine_;
};

Cyclic random_cyclic(Dice& dice, int processes) {
  Cyclic c;
  c.block = dice.between(1, dice.one_in(3) ? 40 : 8);
  c.first = dice.one_in(3) ? dice.between(1, 12) : c.block;
  c.processes = processes;
  c.source = static_cast<int>(dice.between(0, processes - 1));
  return c;
}

BlockCyclic random_block_cyclic(Dice& dice, std::int64_t rows, std::int64_t columns, int ranks,
                                Rank me) {
  BlockCyclic l;
  l.rows = rows;
  l.columns = columns;
  const int used = static_cast<int>(dice.between(1, ranks));
  const int down = static_cast<int>(dice.between(1, used));
  l.down = random_cyclic(dice, down);
  l.across = random_cyclic(dice, used / down);
  std::vector<Rank> all;
  for (int r = 0; r < ranks; ++r) all.push_back(Rank{r});
  for (int r = 0; r < ranks; ++r) {
    std::swap(all[static_cast<std::size_t>(r)],
              all[static_cast<std::size_t>(dice.between(r, ranks - 1))]);
  }
  const int cells = l.down.processes * l.across.processes;
  l.ranks.assign(all.begin(), all.begin() + cells);
  if (dice.one_in(2)) {
    l.first_row = dice.between(0, 20);
    l.first_column = dice.between(0, 20);
  }
  const std::int64_t gap = dice.one_in(2) ? dice.between(1, 5) : 0;
  for (int at = 0; at < cells; ++at) {
    if (l.ranks[static_cast<std::size_t>(at)] == me) {
      l.leading =
          std::max<std::int64_t>(1, l.down.count(l.first_row + rows, at / l.across.processes)) +
          gap + me.value % 2;  // each rank its own
    }
  }
  return l;
}

std::vector<std::int64_t> random_cuts(Dice& dice, std::int64_t extent) {
  std::vector<std::int64_t> cuts = {0};
  while (cuts.back() < extent) cuts.push_back(std::min(extent, cuts.back() + dice.between(0, 30)));
  return cuts;
}

Layout random_layout(Dice& dice, std::int64_t rows, std::int64_t columns, int ranks, Rank me) {
  if (!dice.one_in(4)) return random_block_cyclic(dice, rows, columns, ranks, me);
  BlockGrid grid;
  grid.row_cuts = random_cuts(dice, rows);
  grid.column_cuts = random_cuts(dice, columns);
  for (std::size_t b = 0; b < (grid.row_cuts.size() - 1) * (grid.column_cuts.size() - 1); ++b) {
    grid.owners.push_back(Rank{static_cast<int>(dice.between(0, ranks - 1))});
  }
  return grid;
}

template <class T>
using Real = decltype(std::abs(T{}));

// A matrix in its layout: this rank's array, and what stands where in op of it.
template <class T>
struct Spread {
  std::vector<T> values;
  std::vector<layout::Patch> patches;  // of the matrix as stored
};

template <class T>
Spread<T> spread(const Layout& layout, const comm::Communicator& world, std::uint64_t seed) {
  const auto me = static_cast<std::size_t>(world.rank().value);
  Spread<T> s;
  s.patches = layout::arrangement(layout, world.size()).of_rank[me];
  s.values = random_array<T>(s.patches, array_words(layout, world.rank()), seed);
  return s;
}

// Words of the array between the columns, which are the caller's affair.
template <class T>
std::int64_t gaps(const Spread<T>& s) {
  std::int64_t words = static_cast<std::int64_t>(s.values.size());
  for (const layout::Patch& p : s.patches) words -= p.size();
  return words;
}

// op of the random matrix `seed`, rows x columns, whole.
template <class T>
std::vector<T> whole(std::uint64_t seed, Op op, std::int64_t rows, std::int64_t columns) {
  std::vector<T> values;
  for (std::int64_t j = 0; j < columns; ++j) {
    for (std::int64_t i = 0; i < rows; ++i) {
      const T x = op == Op::none ? random_number<T>(seed, i, j) : random_number<T>(seed, j, i);
      values.push_back(op == Op::conjugate_transpose ? conjugated(x) : x);
    }
  }
  return values;
}

// Whether `after` holds `wanted` in the patches and is `before`, bit by bit, elsewhere.
template <class T>
bool holds(const Spread<T>& before, const std::vector<T>& after, const std::vector<T>& wanted,
           std::int64_t rows, double tolerance) {
  std::vector<bool> inside(after.size());
  bool right = true;
  layout::for_each_element(before.patches, [&](std::int64_t row, std::int64_t column,
                                               std::int64_t place) {
    const auto at = static_cast<std::size_t>(place);
    inside[at] = true;
    const double off = std::abs(after[at] - wanted[static_cast<std::size_t>(row + column * rows)]);
    right = right && off <= tolerance;  // false for what is not a number
  });
  for (std::size_t x = 0; x < after.size(); ++x) {
    if (!inside[x] && std::memcmp(&after[x], &before.values[x], sizeof(T)) != 0) right = false;
  }
  return right;
}

template <class T>
T random_scalar(Dice& dice) {
  const std::int64_t kind = dice.between(0, 3);
  if (kind < 2) return T(static_cast<Real<T>>(kind));
  if constexpr (std::is_floating_point_v<T>) {
    return T(-0.5);
  } else {
    return T(Real<T>(0.5), Real<T>(-1.5));
  }
}

Op random_op(Dice& dice) {
  return static_cast<Op>(dice.between(0, 2));
}

Layout stored(Dice& dice, Op op, std::int64_t rows, std::int64_t columns, int ranks, Rank me) {
  return op == Op::none ? random_layout(dice, rows, columns, ranks, me)
                        : random_layout(dice, columns, rows, ranks, me);
}

std::int64_t random_size(Dice& dice) {
  if (dice.one_in(12)) return dice.between(0, 1);
  return dice.between(1, dice.one_in(4) ? 400 : 70);
}

template <class T>
bool product_is_right(Dice& dice, comm::Communicator& world) {
  const GemmShape s = {random_size(dice), random_size(dice), random_size(dice)};
  const int ranks = world.size();
  const Rank me = world.rank();
  GemmLayouts layouts;
  layouts.op_a = random_op(dice);
  layouts.op_b = random_op(dice);
  layouts.a = stored(dice, layouts.op_a, s.m, s.k, ranks, me);
  layouts.b = stored(dice, layouts.op_b, s.k, s.n, ranks, me);
  layouts.c = random_layout(dice, s.m, s.n, ranks, me);
  const T alpha = random_scalar<T>(dice);
  const T beta = random_scalar<T>(dice);
  GemmOptions options;
  options.overlap = dice.one_in(2);
  if (dice.one_in(2)) options.machine.bytes_per_second = 1e8;
  if (dice.one_in(6)) {
    options.backend = Backend::one_sided;
  } else if (dice.one_in(3)) {
    options.memory =
        Words(dice.between(1, 3) * (s.m * s.k + s.k * s.n + s.m * s.n) / std::max(1, ranks - 1));
  }
  std::optional<GemmPlan<T>> plan;
  try {
    plan.emplace(MPI_COMM_WORLD, layouts, options);
  } catch (const Error& e) {
    const std::string message = e.what();
    options.memory = Words(std::stoll(message.substr(message.rfind(' ') + 1)));
    plan.emplace(MPI_COMM_WORLD, layouts, options);  // what it says would do does
  }
  const Spread<T> a = spread<T>(layouts.a, world, seed_a);
  const Spread<T> b = spread<T>(layouts.b, world, seed_b);
  Spread<T> c = spread<T>(layouts.c, world, seed_c);
  const std::int64_t held = plan->memory().value - gaps(a) - gaps(b) - gaps(c);
  const bool within = !options.memory || held <= options.memory->value;
  std::vector<T> wanted = whole<T>(seed_c, Op::none, s.m, s.n);
  if (beta == T(0)) {  // must not be read
    for (T& x : c.values) x = T(std::numeric_limits<Real<T>>::quiet_NaN());
    for (T& x : wanted) x = T(0);
  }
  const std::vector<T> left = whole<T>(seed_a, layouts.op_a, s.m, s.k);
  const std::vector<T> right = whole<T>(seed_b, layouts.op_b, s.k, s.n);
  blas::gemm<T>(s.m, s.n, s.k, alpha, {left.data(), s.m}, {right.data(), s.k}, beta, wanted.data(),
                s.m);
  std::vector<T> result = c.values;
  plan->execute(alpha, a.values.data(), b.values.data(), beta, result.data());
  const double tolerance =
      20 * static_cast<double>(s.k + 2) * std::numeric_limits<Real<T>>::epsilon();
  bool ok = within && holds(c, result, wanted, s.m, tolerance);
  plan->execute(alpha, a.values.data(), b.values.data(), beta, (result = c.values).data());
  ok = ok && holds(c, result, wanted, s.m, tolerance);
  const Traffic traffic = plan->traffic().total();
  std::vector<double> totals = {static_cast<double>(traffic.words_received.value),
                                static_cast<double>(traffic.words_sent.value)};
  world.sum(totals);
  return ok && totals[0] == totals[1];
}

template <class T>
bool redistribution_is_right(Dice& dice, comm::Communicator& world) {
  const std::int64_t rows = random_size(dice);
  const std::int64_t columns = random_size(dice);
  const Op op = random_op(dice);
  const Layout from = stored(dice, op, rows, columns, world.size(), world.rank());
  const Layout to = random_layout(dice, rows, columns, world.size(), world.rank());
  const T alpha = random_scalar<T>(dice);
  const T beta = random_scalar<T>(dice);
  const Spread<T> a = spread<T>(from, world, seed_a);
  Spread<T> b = spread<T>(to, world, seed_c);
  if (beta == T(0)) {
    for (T& x : b.values) x = T(std::numeric_limits<Real<T>>::quiet_NaN());
  }
  std::vector<T> wanted = whole<T>(seed_a, op, rows, columns);
  const std::vector<T> old = whole<T>(seed_c, Op::none, rows, columns);
  for (std::size_t x = 0; x < wanted.size(); ++x) {
    wanted[x] = alpha * wanted[x] + (beta == T(0) ? T(0) : beta * old[x]);
  }
  Redistribution<T> move(MPI_COMM_WORLD, op, from, to);
  std::vector<T> result = b.values;
  move.execute(alpha, a.values.data(), beta, result.data());
  // each element at most once: no more words arrive than belong here
  const std::int64_t here = layout::arrangement(to, world.size()).held(world.rank());
  return holds(b, result, wanted, rows, 8 * std::numeric_limits<Real<T>>::epsilon()) &&
         move.traffic().words_received.value <= here;
}

template <class T>
bool is_right(Dice& dice, comm::Communicator& world) {
  return dice.one_in(4) ? redistribution_is_right<T>(dice, world)
                        : product_is_right<T>(dice, world);
}

bool case_is_right(std::uint64_t seed, comm::Communicator& world) {
  Dice dice(seed);
  switch (dice.between(0, 3)) {
    case 0:
      return is_right<float>(dice, world);
    case 1:
      return is_right<double>(dice, world);
    case 2:
      return is_right<std::complex<float>>(dice, world);
    default:
      return is_right<std::complex<double>>(dice, world);
  }
}

int run(double seconds, std::uint64_t seed) {
  comm::Communicator world(MPI_COMM_WORLD);
  const double start = comm::seconds();
  std::int64_t cases = 0;
  while (world.maximum(comm::seconds() - start) < seconds) {
    bool right = false;
    try {
      right = case_is_right(seed, world);
    } catch (const std::exception& e) {
      std::fprintf(stderr, "seed %llu: %s\n", static_cast<unsigned long long>(seed), e.what());
    }
    if (!world.all(right)) {
      if (!right) {
        std::fprintf(stderr, "rank %d: wrong with seed %llu\n", world.rank().value,
                     static_cast<unsigned long long>(seed));
      }
      return 1;
    }
    ++seed;
    ++cases;
  }
  if (world.rank().value == 0) {
    std::printf("%lld random cases on %d ranks are right\n", static_cast<long long>(cases),
                world.size());
  }
  return 0;
}

}  // namespace
}  // namespace redblue

int main(int argc, char** argv) {
  const redblue::comm::Session session;
  return redblue::run(argc > 1 ? std::atof(argv[1]) : 5,
                      argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1);
}
