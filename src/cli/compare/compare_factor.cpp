// SPDX-License-Identifier: BSD-3-Clause
// redblue compare syrk | syr2k | symm | cholesky | lu | qr | trsm: beside the ScaLAPACK of this
// machine.
#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "cli/compare/comparison.hpp"
#include "cli/compare/peer.hpp"
#include "cli/element_type.hpp"
#include "cli/linalg/factor_options.hpp"
#include "cli/linalg/model_options.hpp"
#include "cli/options.hpp"
#include "cli/parallel.hpp"
#include "linalg/blas/blas.hpp"
#include "linalg/lu/pivots.hpp"
#include "linalg/qr/tau.hpp"
#include "redblue/lower_bound.hpp"
#include "redblue/qr.hpp"
#include "redblue/solve.hpp"

namespace redblue::cli {

using namespace linalg;

namespace {

struct Options {
  std::string m, n, k, minimise = "words";
  CompareOptions common;
};

struct Sizes {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
};

// A block-cyclic matrix of this rank.
template <class T>
struct Matrix {
  BlockCyclic layout;
  std::vector<layout::Patch> held;
  std::vector<T> values;

  template <class Element>
  Matrix(const comm::Communicator& world, const CompareSetting& s, std::int64_t rows,
         std::int64_t columns, Element element)
      : layout(block_cyclic(rows, columns, s.block, s.grid_rows, s.grid_columns, world.rank())),
        held(local_patches(layout, world)),
        values(matgen::array_of<T>(held, array_words(layout, world.rank()), element)) {}
};

FactorOptions factor_options(const CompareSetting& s) {
  FactorOptions options;
  options.objective = s.objective;
  return options;
}

template <class T>
std::array<Side, 2> compare_syrk(const CompareSetting& s, const Sizes& sizes, const Peer& peer) {
  comm::Communicator world(MPI_COMM_WORLD);
  const auto random = [](auto i, auto j) { return matgen::random_number<T>(matgen::seed_a, i, j); };
  Matrix<T> a(world, s, sizes.n, sizes.k, random);
  Matrix<T> c(world, s, sizes.n, sizes.n, random);
  blas::warm_up<T>();
  std::unique_ptr<SyrkPlan<T>> plan;
  const auto reset = [&] { std::fill(c.values.begin(), c.values.end(), T(0)); };
  const auto check = [&] {
    return matgen::check_update(world, {sizes.n, sizes.k}, false, c.held, c.values.data());
  };
  const Contender mine = {reset,
                          [&] {
                            if (plan == nullptr) {
                              SyrkLayouts layouts;
                              layouts.a = a.layout;
                              layouts.c = c.layout;
                              plan = std::make_unique<SyrkPlan<T>>(
                                  MPI_COMM_WORLD, layouts, SyrkOptions{{}, Objective::words, {}});
                            }
                            plan->execute(T(1), a.values.data(), nullptr, T(0), c.values.data());
                          },
                          check, [&] { return "redblue, " + plan->name(); }};
  const Contender theirs = {
      reset, [&] { peer.syrk(a.layout, c.layout, a.values.data(), c.values.data()); }, check,
      [&] { return "ScaLAPACK, " + peer.name(); }};
  return measure(world, s, sizeof(T), {mine, theirs});
}

// C = A B^T + B A^T, or C = A B with a symmetric A.
template <class T>
std::array<Side, 2> compare_two_factors(const CompareSetting& s, const Sizes& sizes,
                                        const Peer& peer, bool symm) {
  comm::Communicator world(MPI_COMM_WORLD);
  Matrix<T> a(world, s, sizes.n, symm ? sizes.n : sizes.k, [symm](auto i, auto j) {
    return symm ? matgen::symmetric_number<T>(i, j)
                : matgen::random_number<T>(matgen::seed_a, i, j);
  });
  const auto random = [](auto i, auto j) { return matgen::random_number<T>(matgen::seed_b, i, j); };
  Matrix<T> b(world, s, sizes.n, sizes.k, random);
  Matrix<T> c(world, s, sizes.n, symm ? sizes.k : sizes.n, random);
  blas::warm_up<T>();
  const SyrkOptions options{{}, Objective::words, {}};
  std::unique_ptr<SyrkPlan<T>> update;
  std::unique_ptr<SymmPlan<T>> product;
  const auto call = [&] {
    if (symm) {
      if (product == nullptr) {
        SymmLayouts layouts;
        layouts.a = a.layout;
        layouts.b = b.layout;
        layouts.c = c.layout;
        product = std::make_unique<SymmPlan<T>>(MPI_COMM_WORLD, layouts, options);
      }
      product->execute(T(1), a.values.data(), b.values.data(), T(0), c.values.data());
      return;
    }
    if (update == nullptr) {
      SyrkLayouts layouts;
      layouts.a = a.layout;
      layouts.b = b.layout;
      layouts.c = c.layout;
      update = std::make_unique<SyrkPlan<T>>(MPI_COMM_WORLD, layouts, options);
    }
    update->execute(T(1), a.values.data(), b.values.data(), T(0), c.values.data());
  };
  const auto reset = [&] { std::fill(c.values.begin(), c.values.end(), T(0)); };
  const auto check = [&] {
    const SyrkShape shape{sizes.n, sizes.k};
    return symm ? matgen::check_symmetric_product(world, shape, c.held, c.values.data())
                : matgen::check_two_factor_update(world, shape, c.held, c.values.data());
  };
  const Contender mine = {reset, call, check,
                          [&] { return "redblue, " + (symm ? product->name() : update->name()); }};
  const Contender theirs = {reset,
                            [&] {
                              const T* x = a.values.data();
                              const T* y = b.values.data();
                              if (symm) {
                                peer.symm(a.layout, b.layout, x, y, c.values.data());
                              } else {
                                peer.syr2k(a.layout, c.layout, x, y, c.values.data());
                              }
                            },
                            check, [&] { return "ScaLAPACK, " + peer.name(); }};
  return measure(world, s, sizeof(T), {mine, theirs});
}

template <class T>
std::array<Side, 2> compare_cholesky(const CompareSetting& s, const Sizes& sizes,
                                     const Peer& peer) {
  comm::Communicator world(MPI_COMM_WORLD);
  const Matrix<T> original(world, s, sizes.n, sizes.n, [&sizes](auto i, auto j) {
    return matgen::definite_number<T>(i, j, sizes.n);
  });
  std::vector<T> a;
  blas::warm_up<T>();
  std::unique_ptr<CholeskyPlan<T>> plan;
  const auto reset = [&] { a = original.values; };
  const auto check = [&] {
    return matgen::check_cholesky(world, sizes.n, original.held, a.data());
  };
  const Contender mine = {reset,
                          [&] {
                            if (plan == nullptr) {
                              plan = std::make_unique<CholeskyPlan<T>>(
                                  MPI_COMM_WORLD, Triangle::lower, original.layout,
                                  factor_options(s));
                            }
                            plan->execute(a.data());
                          },
                          check, [&] { return "redblue, " + plan->decomposition().name(); }};
  const Contender theirs = {reset, [&] { peer.cholesky(original.layout, a.data()); }, check,
                            [&] { return "ScaLAPACK, " + peer.name(); }};
  return measure(world, s, sizeof(T), {mine, theirs});
}

template <class T>
std::array<Side, 2> compare_lu(const CompareSetting& s, const Sizes& sizes, const Peer& peer) {
  comm::Communicator world(MPI_COMM_WORLD);
  const Matrix<T> original(world, s, sizes.m, sizes.n, [](auto i, auto j) {
    return matgen::random_number<T>(matgen::seed_a, i, j);
  });
  std::vector<T> a;
  std::vector<int> local;  // ScaLAPACK's pivots
  blas::warm_up<T>();
  std::unique_ptr<LuPlan<T>> plan;
  const auto reset = [&] { a = original.values; };
  const auto check = [&](const std::vector<std::int64_t>& pivots) {
    return matgen::check_lu(world, sizes.m, sizes.n, pivots, original.held, a.data());
  };
  const Contender mine = {reset,
                          [&] {
                            if (plan == nullptr)
                              plan = std::make_unique<LuPlan<T>>(MPI_COMM_WORLD, original.layout,
                                                                 factor_options(s));
                            plan->execute(a.data());
                          },
                          [&] { return check(plan->pivots()); },
                          [&] { return "redblue, " + plan->decomposition().name(); }};
  const Contender theirs = {
      reset, [&] { local = peer.lu(original.layout, a.data()); },
      [&] { return check(whole_pivots(world, original.layout, local.data())); },
      [&] { return "ScaLAPACK, " + peer.name(); }};
  return measure(world, s, sizeof(T), {mine, theirs});
}

template <class T>
std::array<Side, 2> compare_qr(const CompareSetting& s, const Sizes& sizes, const Peer& peer) {
  comm::Communicator world(MPI_COMM_WORLD);
  const Matrix<T> original(world, s, sizes.m, sizes.n, [](auto i, auto j) {
    return matgen::random_number<T>(matgen::seed_a, i, j);
  });
  std::vector<T> a;
  std::vector<T> local;  // ScaLAPACK's tau
  blas::warm_up<T>();
  std::unique_ptr<QrPlan<T>> plan;
  const auto reset = [&] { a = original.values; };
  const auto check = [&](const std::vector<T>& tau) {
    return matgen::check_qr(world, sizes.m, sizes.n, tau, original.held, a.data());
  };
  const Contender mine = {reset,
                          [&] {
                            if (plan == nullptr)
                              plan = std::make_unique<QrPlan<T>>(MPI_COMM_WORLD, original.layout);
                            plan->execute(a.data());
                          },
                          [&] { return check(plan->tau()); },
                          [&] { return "redblue, " + plan->decomposition().name(); }};
  const Contender theirs = {reset, [&] { local = peer.qr(original.layout, a.data()); },
                            [&] { return check(whole_tau(world, original.layout, local.data())); },
                            [&] { return "ScaLAPACK, " + peer.name(); }};
  return measure(world, s, sizeof(T), {mine, theirs});
}

template <class T>
std::array<Side, 2> compare_trsm(const CompareSetting& s, const Sizes& sizes, const Peer& peer) {
  comm::Communicator world(MPI_COMM_WORLD);
  const Matrix<T> t(world, s, sizes.n, sizes.n, [&sizes](auto i, auto j) {
    return matgen::triangular_number<T>(i, j, sizes.n);
  });
  const Matrix<T> original(world, s, sizes.n, sizes.k, [](auto i, auto j) {
    return matgen::random_number<T>(matgen::seed_b, i, j);
  });
  std::vector<T> b;
  blas::warm_up<T>();
  std::unique_ptr<TrsmPlan<T>> plan;
  const auto reset = [&] { b = original.values; };
  const auto check = [&] {
    return matgen::check_trsm(world, sizes.n, sizes.k, original.held, b.data());
  };
  const Contender mine = {reset,
                          [&] {
                            if (plan == nullptr) {
                              TrsmLayouts layouts;
                              layouts.t = t.layout;
                              layouts.b = original.layout;
                              plan = std::make_unique<TrsmPlan<T>>(MPI_COMM_WORLD, layouts,
                                                                   factor_options(s));
                            }
                            plan->execute(T(1), t.values.data(), b.data());
                          },
                          check, [&] { return "redblue, " + plan->name(); }};
  const Contender theirs = {
      reset, [&] { peer.trsm(t.layout, original.layout, t.values.data(), b.data()); }, check,
      [&] { return "ScaLAPACK, " + peer.name(); }};
  return measure(world, s, sizeof(T), {mine, theirs});
}

// What was computed, its floating-point operations and its bound.
void describe(Comparison& c, Kernel kernel, const Sizes& sizes, int ranks,
              const CompareSetting& s) {
  const auto n = static_cast<double>(sizes.n);
  const auto k = static_cast<double>(sizes.k);
  const RankLimits even{ranks, std::nullopt, std::nullopt};
  if (kernel == Kernel::syrk) {
    c.title = fmt::format("syrk {} x {}", sizes.n, sizes.k);
    c.shape = {{"n", sizes.n}, {"k", sizes.k}};
    c.flops = n * (n + 1) * k;
    c.bound = syrk_lower_bound({sizes.n, sizes.k}, ranks);
  } else if (is_symmetric(kernel)) {
    const bool symm = kernel == Kernel::symm;
    c.title = fmt::format("{} {} x {}", symm ? "symm" : "syr2k", sizes.n, sizes.k);
    c.shape = {{"n", sizes.n}, {"k", sizes.k}};
    c.flops = 2 * n * (symm ? n : n + 1) * k;
    c.bound = symm ? symm_lower_bound(sizes.n, sizes.k, even)
                   : syr2k_lower_bound({sizes.n, sizes.k}, even);
  } else if (kernel == Kernel::trsm) {
    c.title = fmt::format("trsm {} x {}", sizes.n, sizes.k);
    c.shape = {{"n", sizes.n}, {"k", sizes.k}};
    c.flops = n * n * k;
    c.bound = trsm_lower_bound(sizes.n, sizes.k, 1, even);
  } else if (kernel == Kernel::cholesky) {
    c.title = fmt::format("cholesky {}", sizes.n);
    c.shape = {{"n", sizes.n}};
    c.flops = n * n * n / 3;
    c.bound = cholesky_lower_bound(sizes.n, 1, even);
  } else if (kernel == Kernel::qr) {
    c.title = fmt::format("qr {} x {}", sizes.m, sizes.n);
    c.shape = {{"m", sizes.m}, {"n", sizes.n}};
    c.flops = 2 * qr_products(sizes.m, sizes.n);
    c.bound = qr_lower_bound(
        block_cyclic(sizes.m, sizes.n, s.block, s.grid_rows, s.grid_columns, Rank{0}));
  } else {
    c.title = fmt::format("lu {} x {}", sizes.m, sizes.n);
    c.shape = {{"m", sizes.m}, {"n", sizes.n}};
    c.flops = 2 * lu_products(sizes.m, sizes.n);
    // what several ranks compute of a block's own pivots does not count
    c.bound = lu_lower_bound(sizes.m, sizes.n, s.block, even);
  }
}

int run(Kernel kernel, const Options& options) {
  blas::use_one_thread();
  const auto [ranks, is_root] = world();
  CompareSetting s = setting_of(options.common, ranks);
  s.objective = objective_of(options.minimise);
  const auto size = [](const char* option, const std::string& text) {
    return countable(option, whole_number(option, text));
  };
  Sizes sizes;
  sizes.n = size("-n", options.n);
  if (is_symmetric(kernel) || kernel == Kernel::trsm) sizes.k = size("-k", options.k);
  if (kernel == Kernel::lu || kernel == Kernel::qr)
    sizes.m = options.m.empty() ? sizes.n : size("-m", options.m);
  std::unique_ptr<Progress> progress;
  if (is_root) {
    progress = std::make_unique<Progress>("computing");
    s.progress = progress->callback();
  }
  const Peer peer(options.common.library, s.grid_rows, s.grid_columns);
  Comparison c;
  run_sides(c, options.common.type, [&](auto element) {
    using T = decltype(element);
    if (kernel == Kernel::syrk) return compare_syrk<T>(s, sizes, peer);
    if (is_symmetric(kernel)) {
      return compare_two_factors<T>(s, sizes, peer, kernel == Kernel::symm);
    }
    if (kernel == Kernel::cholesky) return compare_cholesky<T>(s, sizes, peer);
    if (kernel == Kernel::trsm) return compare_trsm<T>(s, sizes, peer);
    if (kernel == Kernel::qr) return compare_qr<T>(s, sizes, peer);
    return compare_lu<T>(s, sizes, peer);
  });
  progress.reset();
  describe(c, kernel, sizes, ranks, s);
  return report(c, options.common, s, is_root);
}

void add(CLI::App& command, Action& action, Kernel kernel, const char* name, const char* what,
         const char* example) {
  const auto options = std::make_shared<Options>();
  CLI::App* sub = command.add_subcommand(name, what);
  if (kernel == Kernel::lu || kernel == Kernel::qr)
    sub->add_option("-m", options->m, "Rows (default: as columns)");
  sub->add_option("-n", options->n, "Order, or columns")->required();
  if (is_symmetric(kernel)) {
    sub->add_option("-k", options->k, kernel == Kernel::symm ? "Columns of B" : "Columns of A")
        ->required();
  }
  if (kernel == Kernel::trsm) sub->add_option("-k", options->k, "Right-hand sides")->required();
  if (kernel == Kernel::cholesky || kernel == Kernel::lu || kernel == Kernel::trsm)
    add_minimise(*sub, options->minimise);
  options->common.add_to(*sub);
  sub->footer(
      fmt::format("Exit status 1 when a result is wrong.\n\nExample:\n  mpirun -n 4 {}", example));
  sub->callback(
      [options, kernel, &action] { action = [options, kernel] { return run(kernel, *options); }; });
}

}  // namespace

void add_compare_factor(CLI::App& command, Action& action) {
  add(command, action, Kernel::syrk, "syrk", "C (n x n, lower) = A (n x k) A^T, random",
      "redblue compare syrk -n 1000 -k 500");
  add(command, action, Kernel::syr2k, "syr2k", "C (n x n, lower) = A B^T + B A^T, random n x k",
      "redblue compare syr2k -n 1000 -k 500");
  add(command, action, Kernel::symm, "symm",
      "C (n x k) = A B, A symmetric by its lower triangle, random",
      "redblue compare symm -n 1000 -k 500");
  add(command, action, Kernel::cholesky, "cholesky",
      "A = L L' of a random positive definite matrix", "redblue compare cholesky -n 1000");
  add(command, action, Kernel::lu, "lu", "P A = L U of a random matrix",
      "redblue compare lu -n 1000");
  add(command, action, Kernel::qr, "qr", "A = Q R of a random matrix",
      "redblue compare qr -m 20000 -n 200");
  add(command, action, Kernel::trsm, "trsm",
      "L X = B for a random triangular L of order n and k right-hand sides",
      "redblue compare trsm -n 1000 -k 100");
}

}  // namespace redblue::cli
