// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/search/judge.hpp"

#include <algorithm>

#include "cdag/program_graph.hpp"
#include "program/instances.hpp"
#include "schedule/order.hpp"
#include "schedule/search/loop_parts.hpp"
#include "schedule/search/ordering.hpp"
#include "schedule/traffic/placement.hpp"
#include "schedule/traffic/streamed.hpp"

namespace redblue::schedule {

using program::Program;
using program::Sizes;

namespace {

// While one vertex is replayed, so many accesses are streamed; and isl, which writes an order as
// loops, takes as long as so many vertices for a number, a counter or an operation of theirs.
constexpr double streamed_meanwhile = 12, per_piece = 500;

std::size_t pieces(const Formula& formula) {
  std::size_t result = 1 + formula.terms.size();
  for (const Formula& argument : formula.arguments) result += pieces(argument);
  return result;
}

std::size_t pieces(const LoopProgram& loops) {
  std::size_t result = 0;
  for (const LoopNode& node : loops.nodes) {
    result += pieces(node.lower) + pieces(node.upper) + pieces(node.condition);
    for (const Formula& argument : node.arguments) result += pieces(argument);
  }
  return result;
}

}  // namespace

Judge::Judge(const Program& program, const Sizes& sizes, std::int64_t s,
             cdag::Replacement replacement, const Replayed& replayed, How how)
    : program_(program), sizes_(sizes), s_(s), replacement_(replacement), replayed_(replayed) {
  if (how == How::replayed) graph_ = cdag::program_graph(program, sizes);
}

std::int64_t Judge::cost(const Plan& plan, std::int64_t most) const {
  const double before = spent_;
  const std::int64_t moved = found(plan, most);
  if (send_) {
    send_({moved, spent_ - before});
  } else {
    replayed_(spent_ - before);
  }
  return moved;
}

std::int64_t Judge::found(const Plan& plan, std::int64_t most) const {
  if (const std::optional<Answer> known = answers_ ? answers_->take() : std::nullopt) {
    spent_ += known->spent;
    return known->moved;
  }
  return graph_ ? replayed(plan) : streamed(plan, most);
}

std::int64_t Judge::replayed(const Plan& plan) const {
  spent_ += graph_->size();
  const cdag::Order order = order_of(*graph_, program_, plan, sizes_);
  return cdag::replay(*graph_, order, s_, replacement_).moved();
}

struct Judge::Stored {
  Stored(const Program& original, const std::vector<Family>& of, const Sizes& sizes)
      : families(of),
        program(privatised(original, of)),
        placement(placed(program, sizes)),
        reads(loop_program(program, times(original), sizes, placement)) {}

  bool suits(const std::vector<Family>& others) const {
    return std::equal(families.begin(), families.end(), others.begin(), others.end(),
                      [](const Family& a, const Family& b) {
                        return a.storage == b.storage && a.iterators == b.iterators;
                      });
  }

  std::vector<Family> families;
  Program program;
  Placement placement;
  ValueReads reads;
  mutable KnownParts parts = {};
};

Judge::~Judge() = default;

const Judge::Stored& Judge::stored(const std::vector<Family>& families) const {
  for (const auto& known : stored_) {
    if (known->suits(families)) return *known;
  }
  stored_.push_back(std::make_unique<const Stored>(program_, families, sizes_));
  return *stored_.back();
}

void Judge::prepare(const Plan& plan) const {
  if (!graph_ && !plan.late) stored(plan.nest.families);
}

// Where values are kept changes nothing of what moves: each family may have its own storage.
std::int64_t Judge::streamed(const Plan& plan, std::int64_t most) const {
  if (plan.late) {
    constexpr std::int64_t most_counted = 1'000'000'000;
    const program::InstanceCount accesses(program_, program::Counted::accesses);
    // There and back.
    spent_ += 2 * accesses.at(sizes_, most_counted).to_double() / streamed_meanwhile;
    return moved_lru(sized_order(program_, plan).at(sizes_), s_, most);
  }
  const Stored& of = stored(plan.nest.families);
  const std::optional<isl::schedule> ordered = tree(plan.nest, plan.tiles);
  const LoopProgram loops =
      ordered ? loop_program(of.program, *ordered, sizes_, of.placement, of.parts)
              : loop_program(of.program, times(plan.nest, plan.tiles), sizes_, of.placement);
  const Streamed found = streamed_lru(loops, of.reads, s_, most);
  spent_ += static_cast<double>(found.accesses) / streamed_meanwhile +
            per_piece * static_cast<double>(pieces(loops));
  return found.moved;
}

}  // namespace redblue::schedule
