// Run under mpirun on any number of ranks: random products, updates, factorizations, linear systems
// and redistributions of all types, between random layouts, against BLAS, LAPACK or a residual on
// every rank.
//   random_ranks_test [SECONDS [SEED]]
//   random_ranks_test solves [CASES [SEED]]      linear systems alone
// A failure prints the case's seed; the seed as the last argument runs it first.
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include "linalg/blas.hpp"
#include "linalg/random_factorizations.hpp"
#include "linalg/random_solves.hpp"
#include "redblue/error.hpp"
#include "redblue/symmetric.hpp"

namespace redblue {

using namespace linalg;
using comm::conjugated;

namespace {

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
  if (dice.one_in(6)) options.backend = Backend::one_sided;
  if (dice.one_in(3)) {
    options.memory =
        Words(dice.between(1, 3) * (s.m * s.k + s.k * s.n + s.m * s.n) / std::max(1, ranks - 1));
  }
  std::optional<GemmPlan<T>> plan;
  try {
    plan.emplace(MPI_COMM_WORLD, layouts, options);
  } catch (const Error& e) {
    options.memory = least_named(e);
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
bool update_is_right(Dice& dice, comm::Communicator& world) {
  const SyrkShape s = {random_size(dice), random_size(dice)};
  SyrkLayouts l;
  l.hermitian = dice.one_in(2);
  const bool transposes = dice.one_in(2);
  if (transposes) l.op = l.hermitian ? Op::conjugate_transpose : Op::transpose;
  l.triangle = dice.one_in(2) ? Triangle::upper : Triangle::lower;
  const auto factor = [&] { return stored(dice, l.op, s.n, s.k, world.size(), world.rank()); };
  l.a = factor();
  if (dice.one_in(2)) l.b = factor();
  l.c = random_layout(dice, s.n, s.n, world.size(), world.rank());
  T alpha = random_scalar<T>(dice);
  T beta = random_scalar<T>(dice);
  if (l.hermitian) {
    beta = std::real(beta);
    if (!l.b) alpha = std::real(alpha);
  }
  SyrkOptions options;
  options.objective = dice.one_in(2) ? Objective::words : Objective::seconds;
  bool ok = true;
  if (dice.one_in(3)) {  // the least it says it needs
    options.memory = Words(1);
    try {
      const SyrkPlan<T> tight(MPI_COMM_WORLD, l, options);
    } catch (const Error& e) {
      options.memory = least_named(e);
    }
  }
  SyrkPlan<T> plan(MPI_COMM_WORLD, l, options);
  if (options.memory) ok = world.all(plan.memory() <= *options.memory);
  const Spread<T> a = spread<T>(l.a, world, seed_a);
  const Spread<T> b = l.b ? spread<T>(*l.b, world, seed_b) : Spread<T>{};
  Spread<T> c = spread<T>(l.c, world, seed_c);
  std::vector<T> wanted = whole<T>(seed_c, Op::none, s.n, s.n);
  if (beta == T(0)) {  // must not be read
    for (T& x : c.values) x = T(std::numeric_limits<Real<T>>::quiet_NaN());
    for (T& x : wanted) x = T(0);
  }
  const char turned = l.hermitian ? 'C' : 'T';
  const std::vector<T> x = whole<T>(seed_a, l.op, s.n, s.k);
  const std::vector<T> y = l.b ? whole<T>(seed_b, l.op, s.n, s.k) : x;
  blas::gemm<T>(s.n, s.n, s.k, alpha, {x.data(), s.n}, {y.data(), s.n, turned}, beta, wanted.data(),
                s.n);
  if (l.b) {
    blas::gemm<T>(s.n, s.n, s.k, l.hermitian ? conjugated(alpha) : alpha, {y.data(), s.n},
                  {x.data(), s.n, turned}, T(1), wanted.data(), s.n);
  }
  for (std::int64_t i = 0; l.hermitian && i < s.n; ++i) {
    T& diagonal = wanted[static_cast<std::size_t>(i * (s.n + 1))];
    diagonal = std::real(diagonal);
  }
  const layout::Part part =
      l.triangle == Triangle::lower ? layout::Part::lower : layout::Part::upper;
  const double tolerance =
      40 * static_cast<double>(s.k + 2) * std::numeric_limits<Real<T>>::epsilon();
  for (int time = 0; time < 2; ++time) {
    std::vector<T> result = c.values;
    plan.execute(alpha, a.values.data(), l.b ? b.values.data() : nullptr, beta, result.data());
    ok = ok && holds(c, result, wanted, s.n, tolerance, part);
  }
  return ok;
}

template <class T>
bool symmetric_product_is_right(Dice& dice, comm::Communicator& world) {
  const std::int64_t m = random_size(dice);
  const std::int64_t n = random_size(dice);
  SymmLayouts l;
  l.hermitian = dice.one_in(2);
  l.side = dice.one_in(2) ? Side::left : Side::right;
  l.triangle = dice.one_in(2) ? Triangle::upper : Triangle::lower;
  const std::int64_t order = l.side == Side::left ? m : n;
  l.a = random_layout(dice, order, order, world.size(), world.rank());
  l.b = random_layout(dice, m, n, world.size(), world.rank());
  l.c = random_layout(dice, m, n, world.size(), world.rank());
  const T alpha = random_scalar<T>(dice);
  const T beta = random_scalar<T>(dice);
  SymmPlan<T> plan(MPI_COMM_WORLD, l);
  const Spread<T> a = spread<T>(l.a, world, seed_a);
  const Spread<T> b = spread<T>(l.b, world, seed_b);
  Spread<T> c = spread<T>(l.c, world, seed_c);
  std::vector<T> wanted = whole<T>(seed_c, Op::none, m, n);
  if (beta == T(0)) {  // must not be read
    for (T& x : c.values) x = T(std::numeric_limits<Real<T>>::quiet_NaN());
    for (T& x : wanted) x = T(0);
  }
  std::vector<T> full;  // A from its triangle
  for (std::int64_t j = 0; j < order; ++j) {
    for (std::int64_t i = 0; i < order; ++i) {
      const bool inside = l.triangle == Triangle::lower ? i >= j : i <= j;
      const T x = inside ? random_number<T>(seed_a, i, j) : random_number<T>(seed_a, j, i);
      full.push_back(!l.hermitian ? x : i == j ? T(std::real(x)) : inside ? x : conjugated(x));
    }
  }
  const std::vector<T> other = whole<T>(seed_b, Op::none, m, n);
  const blas::Factor<T> square = {full.data(), order};
  const blas::Factor<T> plain = {other.data(), m};
  if (l.side == Side::left) {
    blas::gemm<T>(m, n, m, alpha, square, plain, beta, wanted.data(), m);
  } else {
    blas::gemm<T>(m, n, n, alpha, plain, square, beta, wanted.data(), m);
  }
  const double tolerance =
      40 * static_cast<double>(order + 2) * std::numeric_limits<Real<T>>::epsilon();
  bool ok = true;
  for (int time = 0; time < 2; ++time) {
    std::vector<T> result = c.values;
    plan.execute(alpha, a.values.data(), b.values.data(), beta, result.data());
    ok = ok && holds(c, result, wanted, m, tolerance);
  }
  return ok;
}

// In the native layout: right, and what the plan says is what moves and is held.
template <class T>
bool native_update_is_right(Dice& dice, comm::Communicator& world) {
  const SyrkShape s = {random_size(dice), random_size(dice)};
  SyrkOptions options;
  options.objective = dice.one_in(2) ? Objective::words : Objective::seconds;
  if (dice.one_in(3)) {
    options.memory = Words(dice.between(1, 3) * (s.n * s.k + s.n * s.n) / world.size());
  }
  std::optional<SyrkPlan<T>> plan;
  try {
    plan.emplace(MPI_COMM_WORLD, s, true, options);
  } catch (const Error& e) {
    options.memory = least_named(e);
    plan.emplace(MPI_COMM_WORLD, s, true, options);
  }
  const auto filled = [&](Operand operand, std::uint64_t seed) {
    std::vector<T> values;
    for_each_element(plan->parts(operand),
                     [&](std::int64_t row, std::int64_t column, std::int64_t) {
                       values.push_back(random_number<T>(seed, row, column));
                     });
    return values;
  };
  const std::vector<T> a = filled(Operand::a, seed_a);
  std::vector<T> c = filled(Operand::c, seed_c);
  std::vector<T> wanted = whole<T>(seed_c, Op::none, s.n, s.n);
  const std::vector<T> x = whole<T>(seed_a, Op::none, s.n, s.k);
  blas::gemm<T>(s.n, s.n, s.k, T(2), {x.data(), s.n}, {x.data(), s.n, 'C'}, T(-1), wanted.data(),
                s.n);
  plan->execute(T(2), a.data(), nullptr, T(-1), c.data());
  const double tolerance =
      40 * static_cast<double>(s.k + 2) * std::numeric_limits<Real<T>>::epsilon();
  bool ok = true;
  for_each_element(
      plan->parts(Operand::c), [&](std::int64_t row, std::int64_t column, std::int64_t place) {
        if (row < column) return;
        T expected = wanted[static_cast<std::size_t>(row + column * s.n)];
        if (row == column) expected = std::real(expected);
        ok = ok && std::abs(c[static_cast<std::size_t>(place)] - expected) <= tolerance;
      });
  const Cost cost = cost_of(plan->decomposition(), options.machine);
  const Traffic traffic = plan->traffic().total();
  return world.all(ok) && world.maximum(traffic.words_received.value) == cost.words.value &&
         world.maximum(traffic.messages_received.value) == cost.messages.value &&
         world.maximum(plan->memory().value) <= cost.memory.value;
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

// Linear systems alone.
struct Solves {
  template <class T>
  static bool are_right(Dice& dice, comm::Communicator& world) {
    switch (dice.between(0, 4)) {
      case 0:
        return triangular_solve_is_right<T>(dice, world);
      case 1:
        return cholesky_solve_is_right<T>(dice, world);
      case 2:
        return lu_solve_is_right<T>(dice, world);
      default:
        return system_is_right<T>(dice, world);
    }
  }
};

struct All {
  template <class T>
  static bool are_right(Dice& dice, comm::Communicator& world) {
    switch (dice.between(0, 13)) {
      case 0:
        return redistribution_is_right<T>(dice, world);
      case 1:
        return update_is_right<T>(dice, world);
      case 2:
        return native_update_is_right<T>(dice, world);
      case 3:
        return cholesky_is_right<T>(dice, world);
      case 4:
        return lu_is_right<T>(dice, world);
      case 5:
        return symmetric_product_is_right<T>(dice, world);
      case 6:
      case 7:
      case 8:
      case 9:
        return Solves::are_right<T>(dice, world);
      default:
        return product_is_right<T>(dice, world);
    }
  }
};

template <class Cases>
bool case_is_right(std::uint64_t seed, comm::Communicator& world) {
  Dice dice(seed);
  switch (dice.between(0, 3)) {
    case 0:
      return Cases::template are_right<float>(dice, world);
    case 1:
      return Cases::template are_right<double>(dice, world);
    case 2:
      return Cases::template are_right<std::complex<float>>(dice, world);
    default:
      return Cases::template are_right<std::complex<double>>(dice, world);
  }
}

// Cases from the seed on while go_on(number of those done).
template <class Cases, class GoOn>
int run(comm::Communicator& world, std::uint64_t seed, GoOn go_on) {
  std::int64_t cases = 0;
  for (; go_on(cases); ++seed, ++cases) {
    bool right = false;
    try {
      right = case_is_right<Cases>(seed, world);
    } catch (const std::exception& e) {
      std::fprintf(stderr, "seed %llu: %s\n", static_cast<unsigned long long>(seed), e.what());
    }
    if (world.all(right)) continue;
    if (!right) {
      std::fprintf(stderr, "rank %d: wrong with seed %llu\n", world.rank().value,
                   static_cast<unsigned long long>(seed));
    }
    return 1;
  }
  if (world.rank().value == 0) {
    std::printf("%lld random cases on %d ranks are right\n", static_cast<long long>(cases),
                world.size());
  }
  return 0;
}

int run_for(double seconds, std::uint64_t seed) {
  comm::Communicator world(MPI_COMM_WORLD);
  const double start = comm::seconds();
  return run<All>(world, seed,
                  [&](std::int64_t) { return world.maximum(comm::seconds() - start) < seconds; });
}

int run_solves(std::int64_t cases, std::uint64_t seed) {
  comm::Communicator world(MPI_COMM_WORLD);
  return run<Solves>(world, seed, [cases](std::int64_t done) { return done < cases; });
}

}  // namespace
}  // namespace redblue

int main(int argc, char** argv) {
  const redblue::comm::Session session;
  const bool solves = argc > 1 && std::string(argv[1]) == "solves";
  const int first = solves ? 2 : 1;
  const double amount = argc > first ? std::atof(argv[first]) : 5;
  const std::uint64_t seed = argc > first + 1 ? std::strtoull(argv[first + 1], nullptr, 10) : 1;
  return solves ? redblue::run_solves(static_cast<std::int64_t>(amount), seed)
                : redblue::run_for(amount, seed);
}
