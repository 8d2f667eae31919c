// SPDX-License-Identifier: BSD-3-Clause
// How LU stores its matrix: before, and L and U after.
#include <algorithm>
#include <complex>

#include "comm/number.hpp"
#include "linalg/lu/lu.hpp"

namespace redblue::linalg {

using layout::Arrangement;
using layout::IndexSet;

template <class T>
Arrangement Lu<T>::before(const LuDecomposition& d, Rank me) {
  const int classes = d.grid_rows * d.replicas;
  BlockCyclic l = block_cyclic(d.m, d.n, d.block, classes, d.grid_columns, me);
  Arrangement result = layout::arrangement(l, d.ranks);
  const int row = me.value / d.grid_columns;
  if (row >= classes) return result;
  const CyclicClasses rows = row_classes(d);
  const ActiveRows storage(rows, row % d.grid_rows, d.grid_rows);
  for (layout::Patch& p : result.of_rank[static_cast<std::size_t>(me.value)]) {
    p.offset = storage.start(row / d.grid_rows);
    p.leading = storage.leading();
  }
  return result;
}

template <class T>
Arrangement Lu<T>::lower(const LuDecomposition& d, const std::vector<std::int64_t>& order,
                         Rank me) {
  const CyclicClasses rows = row_classes(d);
  std::vector<std::vector<std::int64_t>> of_row(static_cast<std::size_t>(rows.classes));
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto r = static_cast<std::size_t>(rows.of_block(order[i] / d.block));
    of_row[r].push_back(static_cast<std::int64_t>(i));
  }
  Arrangement result = before(d, me);
  for (int r = 0; r < rows.classes; ++r) {
    const IndexSet local = layout::dense_set(of_row[static_cast<std::size_t>(r)]);
    for (int c = 0; c < d.grid_columns; ++c) {
      for (layout::Patch& p :
           result.of_rank[static_cast<std::size_t>(r) * static_cast<std::size_t>(d.grid_columns) +
                          static_cast<std::size_t>(c)]) {
        p.rows = local;
      }
    }
  }
  return result;
}

template <class T>
Arrangement Lu<T>::upper(const LuDecomposition& d, Rank me) {
  const int classes = d.grid_rows * d.replicas;
  Arrangement result = layout::arrangement(
      block_cyclic(std::min(d.m, d.n), d.n, d.block, classes, d.grid_columns, me), d.ranks);
  result.rows = d.m;
  return result;
}

template <class T>
comm::SourceRows Lu<T>::lower_rows(const std::vector<std::int64_t>& order) const {
  comm::SourceRows result;
  result.of_column.assign(static_cast<std::size_t>(local_columns_), comm::SourceRows::in_order);
  if (!takes_part()) return result;
  const auto own = static_cast<std::size_t>(rows_.size(my_row_));
  std::vector<std::size_t> sorted(own);  // of each row this rank owns, its position in lower()
  std::size_t next = 0;
  for (const std::int64_t row : order) {
    if (active_.class_of(row) != my_row_) continue;
    sorted[static_cast<std::size_t>(active_.position(row))] = next++;
  }
  for (const KeptPanel& panel : kept_panels_) {
    std::vector<std::int64_t> rows(own, 0);  // 0 for rows above the diagonal, which are not read
    for (std::size_t i = 0; i < panel.rows.size(); ++i) {
      rows[sorted[static_cast<std::size_t>(active_.position(panel.rows[i]))]] =
          static_cast<std::int64_t>(i);
    }
    const Step s = step(panel.step);
    std::fill_n(result.of_column.begin() + s.at, s.width, result.orders.size());
    result.orders.push_back(std::move(rows));
  }
  return result;
}

#define REDBLUE_INSTANTIATE(T)                                                                \
  template Arrangement Lu<T>::before(const LuDecomposition&, Rank);                           \
  template Arrangement Lu<T>::lower(const LuDecomposition&, const std::vector<std::int64_t>&, \
                                    Rank);                                                    \
  template Arrangement Lu<T>::upper(const LuDecomposition&, Rank);                            \
  template comm::SourceRows Lu<T>::lower_rows(const std::vector<std::int64_t>&) const;
REDBLUE_FOR_ALL_NUMBERS(REDBLUE_INSTANTIATE)
#undef REDBLUE_INSTANTIATE

}  // namespace redblue::linalg
