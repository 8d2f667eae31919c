// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/choice/choice.hpp"

#include <isl/map.h>
#include <isl/set.h>
#include <isl/union_map.h>

#include <algorithm>
#include <map>
#include <set>

#include "program/instances.hpp"
#include "schedule/bands/cycles.hpp"
#include "schedule/bands/footprints.hpp"
#include "schedule/bands/parallel.hpp"
#include "schedule/bands/pieces.hpp"
#include "schedule/bands/plain.hpp"
#include "schedule/bands/private_arrays.hpp"
#include "schedule/bands/wavefront.hpp"
#include "schedule/blocks/call_sides.hpp"
#include "schedule/choice/block_sizes.hpp"
#include "schedule/choice/late_choice.hpp"
#include "schedule/choice/loop_choice.hpp"
#include "schedule/choice/new_storage.hpp"
#include "schedule/choice/shared_loops.hpp"
#include "schedule/codegen/extremes.hpp"
#include "schedule/inside/nests_inside.hpp"
#include "schedule/order.hpp"
#include "schedule/time_maps.hpp"
#include "schedule/updates.hpp"

namespace redblue::schedule::codegen {

using program::Access;
using program::Program;
using program::Sizes;
using program::Statement;

namespace {

// Of the source's fmin or fmax, which are calls there (extremes.hpp).
constexpr double per_call = 6;

bool calls_extremes(const Statement& s) {
  return !called_extremes(s.source).empty();
}

// Every instance at the time [].
isl::union_map point_of(const Statement& s) {
  const isl::map all = isl::manage(isl_set_identity(s.domain.copy()));
  isl_map* none = isl_map_project_out(isl_map_reset_tuple_id(all.copy(), isl_dim_out), isl_dim_out,
                                      0, static_cast<unsigned>(s.iterators.size()));
  return isl::union_map(isl::manage(none));
}

}  // namespace

class Orders::Chooser {
 public:
  Chooser(const Program& program, const Sizes& sizes, const Processor& processor)
      : program_(commuting(program, processor)), sizes_(sizes), processor_(processor) {
    for (const Statement& s : program.statements) {
      instances_.push_back(program::InstanceCount(s.domain).at(sizes, most_instances).to_double());
    }
    nests_ = candidates();
    copied_ = with_step_copies(program);
  }

  // The legal ones, the fastest first, of those that are worth it.
  std::vector<Chosen> best(int most) const {
    const double original = original_cycles();
    std::vector<Chosen> result;
    for (Chosen& next : by_cycles()) {
      if (std::ssize(result) == most) break;
      // Calls are what was asked for, whatever they gain.
      const double slowest =
          result.empty() ? worth_it * original : std::min(original, nearly * result.front().cycles);
      if (next.cycles >= slowest && !calls(next)) continue;
      const bool in_tiles_that_wait = next.choice.nest == late_order;
      if (!in_tiles_that_wait && !respects(all_times(next.schedule), next.order)) continue;
      if (processor_.threads > 1) share_loops(next);
      result.push_back(std::move(next));
    }
    return result;
  }

  // Tiles that wait; nothing where the program has none of this side.
  std::optional<Chosen> late_tiles_of(std::int64_t side) const {
    if (!copied_) return std::nullopt;
    return late_choice(program_, *copied_, side, sizes_, processor_, instances_);
  }

  const std::vector<Nest>& nests() const { return nests_; }

  std::vector<BandShape> bands(int nest) const {
    const Nest& chosen = nests_[static_cast<std::size_t>(nest)];
    const Program program = with_storage(program_, chosen.families);
    std::vector<BandShape> result;
    for (const LeafBand& band : parts_of(program, chosen).bands) {
      const auto contraction = contraction_of(program, heaviest(band));
      result.push_back({band.members, contraction ? bytes_of(contraction->element) : 0});
    }
    return result;
  }

  // Without a choice the model's.
  std::optional<Chosen> made(int nest, const Choice* choice) const {
    std::optional<Chosen> result = scheduled(nest, choice);
    if (!result || !respects(all_times(result->schedule), result->order)) return std::nullopt;
    if (processor_.threads > 1) share_loops(*result);
    return result;
  }

 private:
  static Program commuting(Program program, const Processor& processor) {
    program.commuting = commuting_updates(program, processor.reassociate);
    return program;
  }

  std::vector<Nest> candidates() const {
    std::vector<Nest> result = nests_inside(program_);
    for (Nest& nest : schedule::nests(program_)) {
      // Below loops of the source that stay outside, isl's band repeats them: nothing new there.
      if (nest.inner && longest(nest.outer) == 0) result.push_back(std::move(nest));
    }
    // The source's own order, in which threads may find loops to share, calls vanish, and sums may
    // fill vectors.
    const bool calls =
        std::any_of(program_.statements.begin(), program_.statements.end(), calls_extremes);
    if (processor_.threads > 1 || calls || reassociates(program_))
      result.push_back({times(program_), {}, {}, {}});
    return result;
  }

  // What all nests give, the fastest first.
  std::vector<Chosen> by_cycles() const {
    std::vector<Chosen> result;
    for (int nest = 0; nest < static_cast<int>(nests_.size()); ++nest)
      result.push_back(*scheduled(nest, nullptr));
    auto late = copied_ ? late_tiles_of(late_side(*copied_, processor_)) : std::nullopt;
    if (late) result.push_back(std::move(*late));
    std::stable_sort(result.begin(), result.end(),
                     [](const Chosen& a, const Chosen& b) { return a.cycles < b.cycles; });
    return result;
  }

  static constexpr double worth_it = 0.9, nearly = 2;
  static constexpr double most_instances = 1e18;

  double original_cycles() const {
    Program as_written = program_;  // compilers keep its sums in order
    as_written.commuting = commuting_updates(program_);
    const isl::union_map order = conflicts(as_written);
    double cycles = 0;
    for (std::size_t s = 0; s < program_.statements.size(); ++s) {
      cycles += own_cycles(program_, s, order);
      if (calls_extremes(program_.statements[s])) cycles += per_call * instances_[s];
    }
    return cycles;
  }

  // A statement in the source's loops.
  double own_cycles(const Program& program, std::size_t s, const isl::union_map& order) const {
    const Statement& statement = program.statements[s];
    const isl::map all = isl::manage(isl_set_identity(statement.domain.copy()));
    const isl::union_map loops(isl::manage(isl_map_reset_tuple_id(all.copy(), isl_dim_out)));
    const auto depth = static_cast<int>(statement.iterators.size());
    std::vector<int> in_order;
    for (int d = 0; d < depth; ++d) in_order.push_back(d);
    const double words =
        moved_per_instance(program, {{s}, point_of(statement), loops, nothing(), depth}, in_order,
                           {}, sizes_, processor_.cache_words);
    const InnerLoop inner = own_inner_loop(statement, order);
    return instances_[s] *
           (cycles_of(inner) + from_memory * words + division_cycles(statement, inner));
  }

  std::size_t heaviest(const LeafBand& band) const {
    return *std::max_element(
        band.statements.begin(), band.statements.end(),
        [&](std::size_t a, std::size_t b) { return instances_[a] < instances_[b]; });
  }

  // Without a choice the model's; nothing where a band cannot run as chosen.
  std::optional<Chosen> scheduled(int number, const Choice* choice) const {
    const Nest& nest = nests_[static_cast<std::size_t>(number)];
    Chosen result;
    result.choice = {number, choice ? choice->vector_bytes : processor_.vector_bytes};
    result.program = with_storage(program_, nest.families);
    result.order = conflicts(result.program);
    result.exclusive = one_at_a_time(result.program);
    const Parts parts = parts_of(result.program, nest);
    result.schedule = {nest.families,      {},    parts.rest, result.choice.vector_bytes,
                       processor_.threads, sizes_};
    result.cycles = from_system * new_words(result.program, nest.families, sizes_);
    if (choice && choice->bands.size() != parts.bands.size()) return std::nullopt;
    isl::union_map around = parts.rest;
    for (const LeafBand& band : parts.bands) around = around.unite(band.prefix);
    for (std::size_t b = 0; b < parts.bands.size(); ++b) {
      const double before = result.cycles;
      auto band = choice ? made(result, parts.bands[b], choice->bands[b])
                         : modelled(result, parts.bands[b]);
      if (!band) return std::nullopt;
      if (!band->block && !band->calls && !band->shared)
        result.cycles =
            before + (result.cycles - before) / sharers(result, heaviest(parts.bands[b]), around);
      result.schedule.bands.push_back(std::move(*band));
    }
    // Statements in no band run in the loops around them, as in the source.
    for (std::size_t s = 0; s < result.program.statements.size(); ++s) {
      const Statement& statement = result.program.statements[s];
      if (of_statement(parts.rest, statement.name))
        result.cycles += own_cycles(result.program, s, result.order) / sharers(result, s, around);
    }
    return result;
  }

  std::optional<ScheduledBand> modelled(Chosen& chosen, const LeafBand& band) const {
    if (auto calls = with_calls(chosen, band)) return calls;
    const std::size_t weightiest = heaviest(band);
    const std::vector<InnerLoop> all = inner_loops(chosen.program, band, chosen.order, instances_);
    if (const auto contraction = contraction_of(chosen.program, weightiest)) {
      const InnerLoop inner = best_inner_loop(all);
      BandChoice choice{{}, inner.member};
      choice.block = block_sizes(chosen.program, band, contraction->element, processor_);
      if (auto blocks = made(chosen, band, choice, inner)) return blocks;
    }
    const LoopChoice loops = loop_choice(chosen.program, band, all, chosen.order, instances_,
                                         weightiest, sizes_, processor_.cache_words);
    return made(chosen, loops.band, loops.choice, loops.inner);
  }

  static bool calls(const Chosen& chosen) {
    return std::any_of(chosen.schedule.bands.begin(), chosen.schedule.bands.end(),
                       [](const ScheduledBand& b) { return b.calls.has_value(); });
  }

  // Nothing where no tile is a call, or none is wanted.
  std::optional<ScheduledBand> with_calls(Chosen& chosen, const LeafBand& band) const {
    if (processor_.call_sides.empty()) return std::nullopt;
    const std::size_t in_calls = heaviest(band);
    ScheduledBand result{band, {}, nothing(), {}};
    result.calls = calls_of(chosen.program, chosen.schedule.families, chosen.order, band, in_calls,
                            of_sides(processor_.call_sides));
    if (!result.calls) return std::nullopt;
    result.times = result.calls->times;
    const double called =
        instances_[in_calls] * part_in_calls(*result.calls, chosen.program, in_calls, sizes_);
    double others = -called;
    for (const std::size_t s : band.statements) others += instances_[s];
    chosen.cycles += in_call * called + waits * others;
    chosen.choice.bands.emplace_back();
    return result;
  }

  std::optional<ScheduledBand> made(Chosen& chosen, const LeafBand& band,
                                    const BandChoice& choice) const {
    const bool fits = choice.inner < band.members && choice.other < band.members &&
                      choice.inner != choice.other &&
                      (choice.tiles.empty() || std::ssize(choice.tiles) == band.members);
    if (!fits) return std::nullopt;
    const bool diagonals = choice.other != BandChoice::none;
    const LeafBand loops = diagonals ? skewed(band, choice.inner, choice.other) : band;
    return made(chosen, loops, choice,
                inner_loop(chosen.program, loops, choice.inner, chosen.order, instances_));
  }

  // Nothing where there is to be a register block, and none is legal.
  std::optional<ScheduledBand> made(Chosen& chosen, const LeafBand& band, const BandChoice& choice,
                                    InnerLoop inner) const {
    const std::size_t in_blocks = heaviest(band);
    ScheduledBand result{band, {}, nothing(), {}};
    if (choice.block) {
      const auto contraction = contraction_of(chosen.program, in_blocks);
      if (contraction)
        result.block = blocked(chosen.program, band, *contraction, *choice.block, chosen.order);
      if (!result.block) return std::nullopt;
    }
    chosen.choice.bands.push_back(choice);
    std::map<int, isl::union_map> pieces;
    if (!result.block) pieces = pieces_of(chosen, band, inner);
    if (pieces.count(inner.member) != 0) inner.independent = true;
    double cycles = 0;
    for (const std::size_t s : band.statements) {
      cycles += instances_[s] *
                ((result.block && s == in_blocks ? in_block : cycles_of(inner, choice.tiles)) +
                 division_cycles(chosen.program.statements[s], inner));
    }
    if (result.block) {
      result.times = result.block->times;
      chosen.cycles += cycles / processor_.threads;
      return result;
    }
    std::vector<std::int64_t> tiles = choice.tiles;
    const int outer = loops_in_order(band, inner).front();
    // Tiles of the outermost loop alone change no order.
    if (!pieces.empty() && !tiles.empty() &&
        std::count(tiles.begin(), tiles.end(), 0) + 1 == std::ssize(tiles) &&
        tiles[static_cast<std::size_t>(outer)] != 0)
      tiles.clear();
    result.times = plain_times(band, inner, tiles, {}, pieces);
    result.pieces = piece_depths(band, inner, tiles, pieces);
    if (processor_.threads > 1 && pieces.empty())
      result.shared = shared_tiles(chosen.program, band, inner, tiles, processor_.threads,
                                   chosen.exclusive, sizes_);
    const double words = moved_per_instance(chosen.program, band, loops_in_order(band, inner),
                                            tiles, sizes_, processor_.cache_words);
    for (const std::size_t s : band.statements)
      cycles += instances_[s] * from_memory * words / static_cast<double>(band.statements.size());
    chosen.cycles += result.shared ? cycles / processor_.threads : cycles;
    return result;
  }

  // Of an innermost loop whose steps wait for each other; for threads of the others, too.
  std::map<int, isl::union_map> pieces_of(const Chosen& chosen, const LeafBand& band,
                                          const InnerLoop& inner) const {
    std::map<int, isl::union_map> result;
    if (inner.independent) return result;
    isl::union_map around = band.prefix;
    for (const int m : loops_in_order(band, inner)) {
      if (m == inner.member || processor_.threads > 1) {
        if (const auto cut = independent_pieces(chosen.program, band, m, around, chosen.order))
          result.emplace(m, *cut);
      }
      around = product(around, member(band, m));
    }
    return result;
  }

  // How many threads share one of the loops around a statement; `all`: their times.
  int sharers(const Chosen& chosen, std::size_t statement, const isl::union_map& all) const {
    if (processor_.threads < 2) return 1;
    const isl::map own = *of_statement(all, chosen.program.statements[statement].name);
    for (int d = 0; d < static_cast<int>(isl_map_dim(own.get(), isl_dim_out)); ++d) {
      if (fixed_value(own, d)) continue;
      const isl::union_map upto = beside(leading(all, d + 1), leading(isl::union_map(own), d));
      if (enough_to_do(chosen.program, upto, sizes_) &&
          private_arrays(chosen.program, chosen.exclusive, upto, sizes_))
        return processor_.threads;
    }
    return 1;
  }

  Program program_;
  const Sizes& sizes_;
  Processor processor_;
  std::vector<double> instances_;
  std::vector<Nest> nests_;
  std::optional<WithCopies> copied_;
};

Orders::Orders(const Program& program, const Sizes& sizes, const Processor& processor)
    : chooser_(std::make_unique<const Chooser>(program, sizes, processor)) {}

Orders::~Orders() = default;

std::optional<Chosen> Orders::fastest() const {
  std::vector<Chosen> all = best(1);
  return all.empty() ? std::nullopt : std::optional(std::move(all.front()));
}

std::vector<Chosen> Orders::best(int most) const {
  return chooser_->best(most);
}

int Orders::nests() const {
  return static_cast<int>(chooser_->nests().size());
}

std::vector<BandShape> Orders::bands(int nest) const {
  return chooser_->bands(nest);
}

std::optional<Chosen> Orders::modelled(int nest) const {
  return chooser_->made(nest, nullptr);
}

std::optional<Chosen> Orders::made(const Choice& choice) const {
  if (choice.nest == late_order) return chooser_->late_tiles_of(choice.side);
  if (choice.nest < 0 || choice.nest >= nests()) return std::nullopt;
  return chooser_->made(choice.nest, &choice);
}

}  // namespace redblue::schedule::codegen
