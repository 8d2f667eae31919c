// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/search/judge.hpp"

#include "cdag/program_graph.hpp"
#include "program/instances.hpp"
#include "schedule/ordering.hpp"
#include "schedule/traffic/streamed.hpp"

namespace redblue::schedule {

using program::Program;
using program::Sizes;

namespace {

// While one vertex is replayed, so many instances are streamed; while an order is written as
// loops, so many vertices are replayed.
constexpr double streamed_meanwhile = 10, replayed_meanwhile = 20'000;

}  // namespace

Judge::Judge(const Program& program, const Sizes& sizes, std::int64_t s,
             cdag::Replacement replacement, const Replayed& replayed, How how)
    : program_(program), sizes_(sizes), s_(s), replacement_(replacement), replayed_(replayed) {
  if (how == How::replayed) {
    graph_ = cdag::program_graph(program, sizes);
    effort_ = graph_->size();
  } else {
    const program::InstanceCount instances(program);
    effort_ = replayed_meanwhile +
              instances.at(sizes, cdag::most_instances).to_double() / streamed_meanwhile;
  }
}

std::int64_t Judge::cost(const Plan& plan, std::int64_t most) const {
  spent_ += effort_;
  const std::int64_t moved = graph_ ? replayed(plan) : streamed(plan, most);
  replayed_(effort_);
  return moved;
}

std::int64_t Judge::replayed(const Plan& plan) const {
  const cdag::Order order = order_of(*graph_, program_, plan, sizes_);
  return cdag::replay(*graph_, order, s_, replacement_).moved();
}

// Where values are kept changes nothing of what moves: each family may have its own storage.
std::int64_t Judge::streamed(const Plan& plan, std::int64_t most) const {
  const SizedOrder order = plan.late ? sized_order(program_, plan)
                                     : SizedOrder{privatised(program_, plan.nest.families),
                                                  times(plan.nest, plan.tiles)};
  return moved_lru(order.at(sizes_), s_, most);
}

}  // namespace redblue::schedule
