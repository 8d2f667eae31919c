// SPDX-License-Identifier: BSD-3-Clause
// redblue run syrk | syr2k | symm | cholesky | lu | qr | trsm: execute, count and check.
#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "cli/commands.hpp"
#include "cli/element_type.hpp"
#include "cli/linalg/factor_options.hpp"
#include "cli/linalg/factor_outcome.hpp"
#include "cli/linalg/factor_run.hpp"
#include "cli/linalg/run_record.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/parallel.hpp"
#include "linalg/blas/blas.hpp"
#include "linalg/plan/caller_layouts.hpp"
#include "linalg/plan/native.hpp"
#include "matgen/check.hpp"
#include "redblue/error.hpp"
#include "redblue/lower_bound.hpp"
#include "redblue/qr.hpp"
#include "redblue/solve.hpp"
#include "redblue/symmetric_model.hpp"

namespace redblue::cli {

using namespace linalg;

namespace {

using Options = FactorRunOptions;
using Outcome = FactorOutcome;

Words words_of(const std::vector<OwnedPart>& parts) {
  Words total;
  for (const OwnedPart& p : parts) total += Words(p.end - p.begin);
  return total;
}

template <class T>
Outcome run_syrk(const Options& options, std::int64_t repeat) {
  comm::Communicator world(MPI_COMM_WORLD);
  const SyrkPlanRequest request = options.kernel.syrk(world.size());
  SyrkPlan<T> plan(MPI_COMM_WORLD, request.shape, true,
                   {request.memory, request.objective, request.machine});
  const std::vector<T> a = matgen::random_array<T>(
      patches_of(plan.parts(Operand::a)), words_of(plan.parts(Operand::a)), matgen::seed_a);
  std::vector<T> c(static_cast<std::size_t>(words_of(plan.parts(Operand::c)).value));
  Outcome o;
  const auto n = static_cast<double>(request.shape.n);
  o.efficiency.bytes_per_second = request.machine.bytes_per_second;
  o.title = fmt::format("syrk {} x {}", request.shape.n, request.shape.k);
  o.decomposition = plan.decomposition().name();
  o.predicted = cost_of(plan.decomposition(), request.machine);
  o.bound = lower_bound(plan.decomposition(), request.memory);
  o.multiplications = n * (n + 1) / 2 * static_cast<double>(request.shape.k);
  timed<T>(
      world, options, repeat, o, [] {},
      [&] { plan.execute(T(1), a.data(), nullptr, T(0), c.data()); });
  count(world, o, plan.traffic().total(), {}, plan.memory());
  if (!options.no_check) {
    o.residual = matgen::check_update(world, request.shape, true,
                                      patches_of(plan.parts(Operand::c)), c.data());
  }
  return o;
}

// What rank-2k updates and symmetric products say of their decomposition.
Outcome symmetric_outcome(SymmetricKernel kernel, const char* name, const TriangleDecomposition& d,
                          const SyrkPlanRequest& request) {
  Outcome o;
  const auto n = static_cast<double>(d.shape.n);
  const auto k = static_cast<double>(d.shape.k);
  o.title = fmt::format("{} {} x {}", name, d.shape.n, d.shape.k);
  o.decomposition = d.name();
  o.predicted = cost_of(kernel, d, request.machine);
  o.bound = lower_bound(kernel, d, request.memory);
  o.multiplications = n * (kernel == SymmetricKernel::symm ? n : n + 1) * k;
  o.efficiency.bytes_per_second = request.machine.bytes_per_second;
  return o;
}

template <class T>
Outcome run_syr2k(const Options& options, std::int64_t repeat) {
  comm::Communicator world(MPI_COMM_WORLD);
  const SyrkPlanRequest request = options.kernel.syrk(world.size());
  SyrkPlan<T> plan(MPI_COMM_WORLD, request.shape, false,
                   {request.memory, request.objective, request.machine, true});
  const std::vector<layout::Patch> held = patches_of(plan.parts(Operand::a));
  const Words words = words_of(plan.parts(Operand::a));
  const std::vector<T> a = matgen::random_array<T>(held, words, matgen::seed_a);
  const std::vector<T> b = matgen::random_array<T>(held, words, matgen::seed_b);
  std::vector<T> c(static_cast<std::size_t>(words_of(plan.parts(Operand::c)).value));
  Outcome o = symmetric_outcome(SymmetricKernel::syr2k, "syr2k", plan.decomposition(), request);
  timed<T>(
      world, options, repeat, o, [] {},
      [&] { plan.execute(T(1), a.data(), b.data(), T(0), c.data()); });
  count(world, o, plan.traffic().total(), {}, plan.memory());
  if (!options.no_check) {
    o.residual = matgen::check_two_factor_update(world, request.shape,
                                                 patches_of(plan.parts(Operand::c)), c.data());
  }
  return o;
}

template <class T>
Outcome run_symm(const Options& options, std::int64_t repeat) {
  comm::Communicator world(MPI_COMM_WORLD);
  const SyrkPlanRequest request = options.kernel.syrk(world.size());
  SymmPlan<T> plan(MPI_COMM_WORLD, request.shape, false,
                   {request.memory, request.objective, request.machine});
  const std::vector<T> a =
      matgen::array_of<T>(patches_of(plan.parts(Operand::a)), words_of(plan.parts(Operand::a)),
                          [](auto i, auto j) { return matgen::symmetric_number<T>(i, j); });
  const std::vector<layout::Patch> held = patches_of(plan.parts(Operand::b));
  const std::vector<T> b =
      matgen::random_array<T>(held, words_of(plan.parts(Operand::b)), matgen::seed_b);
  std::vector<T> c(b.size());
  Outcome o = symmetric_outcome(SymmetricKernel::symm, "symm", plan.decomposition(), request);
  timed<T>(
      world, options, repeat, o, [] {},
      [&] { plan.execute(T(1), a.data(), b.data(), T(0), c.data()); });
  count(world, o, plan.traffic().total(), {}, plan.memory());
  if (!options.no_check) {
    o.residual = matgen::check_symmetric_product(world, request.shape, held, c.data());
  }
  return o;
}

// A factorization in place of a matrix in the caller's layout. `o`: its title, bound and
// multiplications. check(a): the residual of what the last execution left.
template <class T, class Plan, class Check>
Outcome factored(comm::Communicator& world, const Options& options, std::int64_t repeat, Plan& plan,
                 const std::vector<T>& original, Outcome o, Check check) {
  const Machine machine = options.kernel.factor().machine;
  std::vector<T> a;
  o.efficiency.bytes_per_second = machine.bytes_per_second;
  o.decomposition = plan.decomposition().name();
  o.predicted = cost_of(plan.decomposition(), machine);
  timed<T>(
      world, options, repeat, o, [&] { a = original; }, [&] { plan.execute(a.data()); });
  count(world, o, plan.traffic().factor, plan.traffic().redistribute, plan.memory());
  if (!options.no_check) o.residual = check(a);
  return o;
}

template <class T>
Outcome run_cholesky(const Options& options, std::int64_t repeat) {
  comm::Communicator world(MPI_COMM_WORLD);
  const std::int64_t n = options.kernel.columns();
  const FactorOptions how = options.kernel.factor();
  const BlockCyclic layout = caller_layout(world, std::max<std::int64_t>(0, n), n);
  CholeskyPlan<T> plan(MPI_COMM_WORLD, Triangle::lower, layout, how);
  const std::vector<layout::Patch> held = local_patches(layout, world);
  const Words owned = array_words(layout, world.rank());
  const std::vector<T> original = matgen::array_of<T>(
      held, owned, [n](auto i, auto j) { return matgen::definite_number<T>(i, j, n); });
  Outcome o;
  const auto order = static_cast<double>(n);
  o.title = fmt::format("cholesky {}", n);
  o.bound = lower_bound(plan.decomposition(), all_memory(world, how, owned));
  o.multiplications = order * order * order / 6;
  return factored(
      world, options, repeat, plan, original, std::move(o),
      [&](const std::vector<T>& a) { return matgen::check_cholesky(world, n, held, a.data()); });
}

template <class T>
Outcome run_lu(const Options& options, std::int64_t repeat) {
  comm::Communicator world(MPI_COMM_WORLD);
  const std::int64_t m = options.kernel.rows();
  const std::int64_t n = options.kernel.columns();
  const FactorOptions how = options.kernel.factor();
  const BlockCyclic layout = caller_layout(world, m, n);
  LuPlan<T> plan(MPI_COMM_WORLD, layout, how);
  const std::vector<layout::Patch> held = local_patches(layout, world);
  const Words owned = array_words(layout, world.rank());
  const std::vector<T> original = matgen::random_array<T>(held, owned, matgen::seed_a);
  Outcome o;
  o.title = fmt::format("lu {} x {}", m, n);
  o.bound = lower_bound(plan.decomposition(), all_memory(world, how, owned));
  o.multiplications = lu_products(m, n);
  return factored(world, options, repeat, plan, original, std::move(o),
                  [&](const std::vector<T>& a) {
                    return matgen::check_lu(world, m, n, plan.pivots(), held, a.data());
                  });
}

template <class T>
Outcome run_qr(const Options& options, std::int64_t repeat) {
  comm::Communicator world(MPI_COMM_WORLD);
  const std::int64_t m = options.kernel.rows();
  const std::int64_t n = options.kernel.columns();
  const BlockCyclic layout = caller_layout(world, m, n);
  QrPlan<T> plan(MPI_COMM_WORLD, layout, options.kernel.factor());
  const std::vector<layout::Patch> held = local_patches(layout, world);
  const std::vector<T> original =
      matgen::random_array<T>(held, array_words(layout, world.rank()), matgen::seed_a);
  Outcome o;
  o.title = fmt::format("qr {} x {}", m, n);
  o.bound = lower_bound(plan.decomposition());
  o.multiplications = qr_products(m, n);
  return factored(world, options, repeat, plan, original, std::move(o),
                  [&](const std::vector<T>& a) {
                    return matgen::check_qr(world, m, n, plan.tau(), held, a.data());
                  });
}

template <class T>
Outcome run_trsm(const Options& options, std::int64_t repeat) {
  comm::Communicator world(MPI_COMM_WORLD);
  const std::int64_t n = options.kernel.columns();
  const std::int64_t m = options.kernel.right_hand_sides();
  const FactorOptions how = options.kernel.factor();
  TrsmLayouts layouts;
  layouts.t = caller_layout(world, n, n);
  layouts.b = caller_layout(world, n, m);
  TrsmPlan<T> plan(MPI_COMM_WORLD, layouts, how);
  const std::vector<T> t =
      matgen::array_of<T>(local_patches(layouts.t, world), array_words(layouts.t, world.rank()),
                          [n](auto i, auto j) { return matgen::triangular_number<T>(i, j, n); });
  const std::vector<layout::Patch> held = local_patches(layouts.b, world);
  const std::vector<T> original =
      matgen::random_array<T>(held, array_words(layouts.b, world.rank()), matgen::seed_b);
  std::vector<T> x;
  Outcome o;
  o.efficiency.bytes_per_second = how.machine.bytes_per_second;
  o.title = fmt::format("trsm {} x {}", n, m);
  o.decomposition = plan.name();
  o.predicted = plan.few() ? Cost(cost_of(*plan.few(), how.machine))
                           : cost_of(plan.decomposition(), how.machine);
  const std::optional<Words> memory = all_memory(
      world, how, array_words(layouts.t, world.rank()) + array_words(layouts.b, world.rank()));
  o.bound =
      plan.few() ? lower_bound(*plan.few(), memory) : lower_bound(plan.decomposition(), memory);
  o.multiplications = static_cast<double>(n) * static_cast<double>(n) / 2 * static_cast<double>(m);
  timed<T>(
      world, options, repeat, o, [&] { x = original; },
      [&] { plan.execute(T(1), t.data(), x.data()); });
  count(world, o, plan.traffic().solve, plan.traffic().redistribute, plan.memory());
  if (!options.no_check) o.residual = matgen::check_trsm(world, n, m, held, x.data());
  return o;
}

FactorTold told_of(const Options& options) {
  return {options.type, !options.no_check, options.json};
}

int run(Kernel kernel, const Options& options) {
  blas::use_one_thread();
  const auto [ranks, is_root] = world();
  const std::int64_t repeat = repeat_count(options.repeat);
  if (options.kernel.columns() < 0 || options.kernel.rows() < 0 ||
      (kernel == Kernel::trsm && options.kernel.right_hand_sides() < 0)) {
    throw Error("-n " + options.kernel.n, "a negative size", "give sizes of at least 0");
  }
  std::unique_ptr<Progress> progress;
  Options told = options;
  if (is_root) {
    progress = std::make_unique<Progress>("computing");
    told.progress = progress->callback();
  }
  const Outcome outcome = with_type(options.type, [&](auto element) {
    using T = decltype(element);
    if (kernel == Kernel::syrk) return run_syrk<T>(told, repeat);
    if (kernel == Kernel::syr2k) return run_syr2k<T>(told, repeat);
    if (kernel == Kernel::symm) return run_symm<T>(told, repeat);
    if (kernel == Kernel::cholesky) return run_cholesky<T>(told, repeat);
    if (kernel == Kernel::trsm) return run_trsm<T>(told, repeat);
    if (kernel == Kernel::qr) return run_qr<T>(told, repeat);
    return run_lu<T>(told, repeat);
  });
  progress.reset();
  write_run_page(options.record.page,
                 facts_of(outcome, told_of(options), options.kernel.factor().machine),
                 outcome.recorded);
  if (is_root) report(outcome, told_of(options), ranks);
  return options.no_check || outcome.residual.ok ? 0 : 1;
}

void add(CLI::App& command, Action& action, Kernel kernel, const char* name, const char* what,
         const char* example) {
  const auto options = std::make_shared<Options>();
  CLI::App* sub = command.add_subcommand(name, what);
  options->kernel.add_to(*sub, kernel);
  add_type(*sub, options->type);
  sub->add_option("--repeat", options->repeat, "Executions of the plan; the fastest is reported")
      ->capture_default_str();
  sub->add_flag("--no-check", options->no_check, "Skip the residual check and its communication");
  add_record(*sub, options->record);
  sub->add_flag("--json", options->json, "Print JSON");
  sub->footer(fmt::format(
      "Exit status 1 when the result is wrong.\n\nExample:\n  mpirun -n 4 redblue run {}",
      example));
  sub->callback(
      [options, kernel, &action] { action = [options, kernel] { return run(kernel, *options); }; });
}

}  // namespace

void add_run_factor(CLI::App& command, Action& action) {
  add(command, action, Kernel::syrk, "syrk",
      "C (n x n, lower triangle) = A (n x k) A', random, in the plan's own layout",
      "syrk -n 2048 -k 256");
  add(command, action, Kernel::syr2k, "syr2k",
      "C (n x n, lower triangle) = A B^T + B A^T, random n x k, in the plan's own layout",
      "syr2k -n 2048 -k 256");
  add(command, action, Kernel::symm, "symm",
      "C (n x k) = A B, A symmetric by its lower triangle, random, in the plan's own layout",
      "symm -n 2048 -k 256");
  add(command, action, Kernel::cholesky, "cholesky",
      "A = L L' of a random positive definite matrix, block-cyclic before and after",
      "cholesky -n 2048");
  add(command, action, Kernel::lu, "lu",
      "P A = L U of a random matrix, block-cyclic before and after", "lu -n 2048");
  add(command, action, Kernel::qr, "qr",
      "A = Q R of a random matrix, block-cyclic before and after", "qr -m 20000 -n 200");
  add(command, action, Kernel::trsm, "trsm",
      "L X = B for a random triangular L of order n and k right-hand sides, block-cyclic",
      "trsm -n 2048 -k 256");
}

}  // namespace redblue::cli
