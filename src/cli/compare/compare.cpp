// SPDX-License-Identifier: BSD-3-Clause
// redblue compare gemm: redblue and the ScaLAPACK of this machine on the same data in the same run.
#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "cli/compare/comparison.hpp"
#include "cli/compare/peer.hpp"
#include "cli/element_type.hpp"
#include "cli/linalg/gemm_options.hpp"
#include "cli/options.hpp"
#include "cli/parallel.hpp"
#include "linalg/blas/blas.hpp"
#include "linalg/plan/caller_layouts.hpp"
#include "redblue/error.hpp"

namespace redblue::cli {

using namespace linalg;
using comm::conjugated;

namespace {

struct Options {
  GemmOptionTexts gemm;
  CompareOptions common;
  std::string op_a = "N", op_b = "N";
};

struct Setting : CompareSetting {
  GemmPlanRequest request;
  Op op_a = Op::none;
  Op op_b = Op::none;
};

template <class T>
struct Data {
  GemmShape shape;
  GemmLayouts layouts;
  std::vector<layout::Patch> local_c;
  std::vector<T> a, b, c;
};

template <class T>
Data<T> data_for(const comm::Communicator& world, const Setting& s) {
  const GemmShape& shape = s.request.shape;
  const auto cyclic = [&](std::int64_t rows, std::int64_t columns, Op op) {
    if (op != Op::none) std::swap(rows, columns);
    return block_cyclic(rows, columns, s.block, s.grid_rows, s.grid_columns, world.rank());
  };
  Data<T> data{shape,
               {s.op_a, cyclic(shape.m, shape.k, s.op_a), s.op_b, cyclic(shape.k, shape.n, s.op_b),
                cyclic(shape.m, shape.n, Op::none)},
               {},
               {},
               {},
               {}};
  const auto me = static_cast<std::size_t>(world.rank().value);
  const auto fill = [&](const Layout& layout, Op op, std::uint64_t seed) {
    // op(X) is the random matrix, so that one check serves all operations
    std::vector<T> values =
        matgen::random_array<T>(arrangement_of(layout, op, world.size()).of_rank[me],
                                array_words(layout, world.rank()), seed);
    if (op == Op::conjugate_transpose) {
      for (T& x : values) x = conjugated(x);
    }
    return values;
  };
  data.a = fill(data.layouts.a, s.op_a, matgen::seed_a);
  data.b = fill(data.layouts.b, s.op_b, matgen::seed_b);
  data.c.resize(static_cast<std::size_t>(array_words(data.layouts.c, world.rank()).value));
  data.local_c = arrangement_of(data.layouts.c, Op::none, world.size()).of_rank[me];
  return data;
}

template <class T>
std::array<Side, 2> compare(const Setting& s, const std::string& library) {
  comm::Communicator world(MPI_COMM_WORLD);
  const Peer peer(library, s.grid_rows, s.grid_columns);
  Data<T> data = data_for<T>(world, s);
  blas::warm_up<T>();
  std::unique_ptr<GemmPlan<T>> plan;
  const auto reset = [&] { std::fill(data.c.begin(), data.c.end(), T(0)); };
  const auto check = [&] {
    return matgen::check_product(world, data.shape, data.local_c, data.c.data());
  };
  const Contender mine = {
      reset,
      [&] {
        if (plan == nullptr) {
          plan = std::make_unique<GemmPlan<T>>(
              MPI_COMM_WORLD, data.layouts,
              GemmOptions{s.request.memory, s.request.objective, s.request.machine, true, {}});
        }
        plan->execute(T(1), data.a.data(), data.b.data(), T(0), data.c.data());
      },
      check, [&] { return "redblue, " + plan->name(); }};
  const Contender theirs = {reset,
                            [&] {
                              peer.gemm(data.layouts, data.shape, T(1), data.a.data(),
                                        data.b.data(), T(0), data.c.data());
                            },
                            check, [&] { return "ScaLAPACK, " + peer.name(); }};
  return measure(world, s, sizeof(T), {mine, theirs});
}

Op operation(const std::string& option, const std::string& text) {
  if (text == "N") return Op::none;
  if (text == "T") return Op::transpose;
  if (text == "C") return Op::conjugate_transpose;
  throw Error(option + " " + text, "no operation", "give N, T or C");
}

int run(const Options& options) {
  blas::use_one_thread();
  const auto [size, is_root] = world();
  Setting s;
  s.request = options.gemm.request(size);
  const GemmShape& shape = s.request.shape;
  for (const std::int64_t x : {shape.m, shape.n, shape.k}) countable("compare gemm", x);
  static_cast<CompareSetting&>(s) = setting_of(options.common, size);
  s.op_a = operation("--transa", options.op_a);
  s.op_b = operation("--transb", options.op_b);
  std::unique_ptr<Progress> progress;
  if (is_root) {
    progress = std::make_unique<Progress>("multiplying");
    s.progress = progress->callback();
  }
  Comparison c;
  run_sides(c, options.common.type,
            [&](auto element) { return compare<decltype(element)>(s, options.common.library); });
  progress.reset();
  c.title = fmt::format("gemm {} x {} x {}", shape.m, shape.n, shape.k);
  c.shape = {{"m", shape.m}, {"n", shape.n}, {"k", shape.k}};
  c.bound = gemm_lower_bound(shape, size, s.request.memory);
  c.flops = 2 * static_cast<double>(shape.m) * static_cast<double>(shape.n) *
            static_cast<double>(shape.k);
  c.machine = s.request.machine;
  return report(c, options.common, s, is_root);
}

void add_gemm(CLI::App& command, Action& action) {
  const auto options = std::make_shared<Options>();
  CLI::App* gemm = command.add_subcommand(
      "gemm", "C (m x n) = op(A) (m x k) op(B) (k x n), random, block-cyclic before and after");
  options->gemm.add_to(*gemm);
  options->common.add_to(*gemm);
  gemm->add_option("--transa", options->op_a, "N, T or C: how A is stored")->capture_default_str();
  gemm->add_option("--transb", options->op_b, "N, T or C: how B is stored")->capture_default_str();
  gemm->footer(
      "Words are those that all MPI calls moved to the busiest rank (collectives count the fewest "
      "that do), memory is what the process used beyond its data in the first call. MPI and BLAS "
      "are warm before it. Data that moves without MPI is not counted.\n"
      "Exit status 1 when a result is wrong.\n\nExample:\n"
      "  mpirun -n 4 redblue compare gemm -m 1200 -n 1200 -k 1200");
  gemm->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace

void add_compare(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand(
      "compare", "Run a kernel beside the ScaLAPACK of this machine: same data, same run");
  command->require_subcommand(1);
  command->footer("Example:\n  mpirun -n 4 redblue compare gemm -m 1200 -n 1200 -k 1200");
  add_gemm(*command, action);
  add_compare_factor(*command, action);
  add_compare_einsum(*command, action);
  add_compare_trsv(*command, action);
}

}  // namespace redblue::cli
