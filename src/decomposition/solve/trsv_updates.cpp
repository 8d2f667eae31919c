// SPDX-License-Identifier: BSD-3-Clause
#include "decomposition/solve/trsv_updates.hpp"

#include <algorithm>

namespace redblue {

namespace {

// Windows between those solved for and those that whole columns are added to.
constexpr std::int64_t ahead = 2;

// The fewest steps in which every rank has columns of T.
std::int64_t window_of(const TrsvDecomposition& d) {
  const std::int64_t columns = std::max(1, d.grid_columns) * d.block;
  return (columns + d.step - 1) / d.step;
}

}  // namespace

UpdateOrder::UpdateOrder(const TrsvDecomposition& d)
    : count_((d.n + d.step - 1) / d.step), window_(d.transposed ? window_of(d) : 0) {}

UpdateOrder::Update UpdateOrder::next(bool solves) {
  ++known_;
  return window_ == 0 ? by_rows(solves) : by_columns(solves);
}

UpdateOrder::Update UpdateOrder::by_rows(bool solves) {
  Update update;
  update.awaited.push_back({{multiplied_, known_}, {known_, known_ + 1}});
  if (solves) return update;
  update.rest.push_back({{multiplied_, known_}, {known_ + 1, count_}});
  multiplied_ = known_;
  return update;
}

UpdateOrder::Update UpdateOrder::by_columns(bool solves) {
  const std::int64_t g = window_;
  const std::int64_t u = known_;
  const std::int64_t w = u / g;
  Update update;
  // S(window w) += .. that had been put off
  const auto later = std::stable_partition(
      put_off_.begin(), put_off_.end(), [&](const auto& sums) { return sums.out.first / g <= w; });
  update.awaited.assign(put_off_.begin(), later);
  put_off_.erase(put_off_.begin(), later);
  // S(u) += op(T)(u, i) X(i) for i from the window w - 2 on
  const std::int64_t near = std::max(multiplied_, (w - ahead) * g);
  update.awaited.push_back({{near, u}, {u, u + 1}});

  const std::int64_t target = (w + ahead) * g;
  if (w > 0 && target < count_) {
    put_off_.push_back({{0, w * g}, {target, std::min(count_, target + g)}, u % g, g});
  }
  if (solves) return update;
  // S(j) += op(T)(j, i) X(i) for i of window a that are new, u < j < (a + 3) g
  for (std::int64_t a = multiplied_ / g; a * g < u; ++a) {
    const std::int64_t end = std::min(count_, (a + ahead + 1) * g);
    update.rest.push_back({{std::max(multiplied_, a * g), std::min(u, (a + 1) * g)}, {u + 1, end}});
  }
  update.rest.insert(update.rest.end(), put_off_.begin(), put_off_.end());
  put_off_.clear();
  multiplied_ = u;
  return update;
}

}  // namespace redblue
