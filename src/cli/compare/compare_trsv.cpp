// SPDX-License-Identifier: BSD-3-Clause
// redblue compare trsv: beside the ScaLAPACK of this machine.
#include <fmt/core.h>

#include <memory>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "cli/compare/comparison.hpp"
#include "cli/compare/peer.hpp"
#include "cli/element_type.hpp"
#include "cli/linalg/trsv_options.hpp"
#include "cli/options.hpp"
#include "cli/parallel.hpp"
#include "linalg/blas/blas.hpp"
#include "redblue/lower_bound.hpp"
#include "redblue/solve.hpp"

namespace redblue::cli {

using namespace linalg;

namespace {

struct Options {
  std::string n;
  TrsvFormTexts form;
  CompareOptions common;
};

// What redblue's side counted beside words.
struct Counted {
  TrsvDecomposition decomposition;
  TrsvPath path;
};

template <class T>
std::array<Side, 2> compare(const CompareSetting& s, const TrsvFormTexts& form, std::int64_t n,
                            const Peer& peer, Counted& counted) {
  comm::Communicator world(MPI_COMM_WORLD);
  const auto layout = [&](std::int64_t columns) {
    return block_cyclic(n, columns, s.block, s.grid_rows, s.grid_columns, world.rank());
  };
  const BlockCyclic at_t = layout(n);
  const BlockCyclic at_x = layout(1);
  const std::vector<layout::Patch> held = local_patches(at_t, world);
  const std::vector<layout::Patch> held_x = local_patches(at_x, world);
  const std::vector<T> t =
      matgen::array_of<T>(held, array_words(at_t, world.rank()),
                          [&](auto i, auto j) { return form.number<T>(i, j, n); });
  const std::vector<T> b =
      matgen::random_array<T>(held_x, array_words(at_x, world.rank()), matgen::seed_b);
  std::vector<T> x;
  blas::warm_up<T>();
  std::unique_ptr<TrsvPlan<T>> plan;
  const auto reset = [&] { x = b; };
  const auto check = [&] {
    return matgen::check_trsv<T>(world, n,
                                 {form.lower(), form.operation(), form.unit, held, t.data()},
                                 held_x, b.data(), x.data());
  };
  const Contender mine = {
      reset,
      [&] {
        if (plan == nullptr) {
          plan = std::make_unique<TrsvPlan<T>>(
              MPI_COMM_WORLD, TrsvLayouts{form.half(), form.operation(), form.unit, at_t, at_x});
        }
        plan->execute(t.data(), x.data());
      },
      check, [&] { return "redblue, " + plan->decomposition().name(); }};
  const Contender theirs = {
      reset,
      [&] { peer.trsv(form.half(), form.operation(), form.unit, at_t, at_x, t.data(), x.data()); },
      check, [&] { return "ScaLAPACK, " + peer.name(); }};
  const std::array<Side, 2> sides = measure(world, s, sizeof(T), {mine, theirs});
  counted = {plan->decomposition(), plan->path()};
  return sides;
}

int run(const Options& options) {
  blas::use_one_thread();
  const auto [ranks, is_root] = world();
  CompareSetting s = setting_of(options.common, ranks);
  const std::int64_t n = countable("-n", whole_number("-n", options.n));
  std::unique_ptr<Progress> progress;
  if (is_root) {
    progress = std::make_unique<Progress>("computing");
    s.progress = progress->callback();
  }
  const Peer peer(options.common.library, s.grid_rows, s.grid_columns);
  Comparison c;
  Counted counted;
  run_sides(c, options.common.type, [&](auto element) {
    return compare<decltype(element)>(s, options.form, n, peer, counted);
  });
  progress.reset();
  c.title = fmt::format("trsv {} ({})", n, options.form.equation());
  c.shape = {{"n", n},
             {"triangle", options.form.triangle},
             {"op", options.form.op},
             {"scheme", "in-place"},
             {"step", counted.decomposition.step},
             {"synchronisations", counted.path.synchronisations},
             {"flops", counted.path.operations}};
  c.flops = static_cast<double>(n) * static_cast<double>(n);
  c.bound = trsm_lower_bound(n, 1, 1, {ranks, std::nullopt, std::nullopt});
  return report(c, options.common, s, is_root);
}

}  // namespace

void add_compare_trsv(CLI::App& command, Action& action) {
  const auto options = std::make_shared<Options>();
  CLI::App* sub =
      command.add_subcommand("trsv", "op(T) x = b for a random triangular T of order n");
  sub->add_option("-n", options->n, "Order")->required();
  options->form.add_to(*sub);
  options->common.add_to(*sub);
  sub->footer(
      "Exit status 1 when a result is wrong.\n\nExample:\n  mpirun -n 4 redblue compare trsv -n "
      "1000 --triangle upper --op t");
  sub->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace redblue::cli
