// SPDX-License-Identifier: BSD-3-Clause
// Words against messages.
#include <algorithm>
#include <tuple>

#include "decomposition/gemm/candidates.hpp"
#include "redblue/error.hpp"

namespace redblue {

std::vector<TradeOffPoint> gemm_trade_off(const GemmPlanRequest& request) {
  GemmPlanRequest any = request;
  any.objective = Objective::seconds;  // so that both exchanges are allowed
  const Candidates all = candidates(any);
  std::vector<Candidate> points = even_grids(any, all.work_limit);
  if (all.bisection) points.push_back(*all.bisection);
  if (all.stationary) points.push_back(*all.stationary);
  if (points.empty()) choose_gemm(request);  // says what memory would do
  const auto order = [](const Candidate& x, const Candidate& y) {
    return std::tuple(x.cost.words, x.cost.messages, x.cost.memory) <
           std::tuple(y.cost.words, y.cost.messages, y.cost.memory);
  };
  // estimates of words are off by a few: those near the front are counted
  constexpr double near = 1.001;
  std::sort(points.begin(), points.end(), order);
  std::vector<Candidate> counted;
  Messages fewest(points.front().cost.messages + Messages(1));
  double words = 0;
  for (const Candidate& p : points) {
    const auto mine = static_cast<double>(p.cost.words.value);
    if (p.cost.messages < fewest) {
      fewest = p.cost.messages;
      words = mine;
    } else if (p.cost.messages > fewest || mine > near * words) {
      continue;
    }
    counted.push_back({p.decomposition, counted_cost(p.decomposition, any)});
  }
  std::sort(counted.begin(), counted.end(), order);
  std::vector<TradeOffPoint> front;
  for (const Candidate& p : counted) {
    if (front.empty() || p.cost.messages < front.back().cost.messages)
      front.push_back({p.decomposition, p.cost});
  }
  return front;
}

}  // namespace redblue
