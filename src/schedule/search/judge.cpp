// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/search/judge.hpp"

#include "cdag/program_graph.hpp"
#include "program/instances.hpp"
#include "program/operation_limit.hpp"
#include "schedule/ordering.hpp"
#include "schedule/traffic/streamed.hpp"

namespace redblue::schedule {

using program::Program;
using program::Sizes;

namespace {

// While one vertex is replayed, so many instances are streamed; while isl does one operation, so
// many vertices are replayed (an order of three loops takes some 40,000 operations, tiles of
// stencils in space take 300,000).
constexpr double streamed_meanwhile = 10, replayed_meanwhile = 0.6;

}  // namespace

Judge::Judge(const Program& program, const Sizes& sizes, std::int64_t s,
             cdag::Replacement replacement, const Replayed& replayed, How how)
    : program_(program), sizes_(sizes), s_(s), replacement_(replacement), replayed_(replayed) {
  if (how == How::replayed) {
    graph_ = cdag::program_graph(program, sizes);
    effort_ = graph_->size();
  } else {
    const program::InstanceCount instances(program);
    effort_ = instances.at(sizes, cdag::most_instances).to_double() / streamed_meanwhile;
  }
}

std::int64_t Judge::cost(const Plan& plan, std::int64_t most) const {
  const double before = spent_;
  spent_ += effort_;
  const std::int64_t moved = graph_ ? replayed(plan) : streamed(plan, most);
  replayed_(spent_ - before);
  return moved;
}

std::int64_t Judge::replayed(const Plan& plan) const {
  const cdag::Order order = order_of(*graph_, program_, plan, sizes_);
  return cdag::replay(*graph_, order, s_, replacement_).moved();
}

std::int64_t Judge::streamed(const Plan& plan, std::int64_t most) const {
  return moved_lru(loops(plan), s_, most);
}

// Where values are kept changes nothing of what moves: each family may have its own storage.
LoopProgram Judge::loops(const Plan& plan) const {
  const program::OperationCount operations;
  const SizedOrder order = plan.late ? sized_order(program_, plan)
                                     : SizedOrder{privatised(program_, plan.nest.families),
                                                  times(plan.nest, plan.tiles)};
  LoopProgram result = order.at(sizes_);
  spent_ += replayed_meanwhile * static_cast<double>(operations.done());
  return result;
}

}  // namespace redblue::schedule
