// Updates of an LU factorization's trailing matrix that are put off until several steps' can be
// made at once: one pass over the matrix for all of them. A panel and pivots' rows get theirs
// before they are used.
#pragma once

#include <cstdint>
#include <vector>

#include "linalg/active_rows.hpp"
#include "linalg/blas.hpp"

namespace redblue::linalg {

template <class T>
class DelayedUpdates {
 public:
  // Of at most so many pivots, to a matrix of these rows and columns. None are put off if `most`
  // is 0.
  DelayedUpdates(std::int64_t leading, std::int64_t columns, std::int64_t most)
      : leading_(leading), columns_(columns), most_(most) {}

  std::int64_t workspace() const { return most_ * (leading_ + columns_); }
  void start(T* workspace);

  // Whether `pivots` more may be put off.
  bool room_for(std::int64_t pivots) const { return pivots_ + pivots <= most_; }

  // Brings columns of the matrix up to date, in rows that stand as those of lower_rows() do.
  void apply(const std::vector<ActiveRows::Span>& rows, std::int64_t first, std::int64_t columns,
             T* a) const;
  // And rows taken out of it, in these columns of it: `lower` is what lower_rows() says of them,
  // before their gaps close.
  std::vector<T> lower_rows(const std::vector<std::int64_t>& places) const;
  void apply_to(std::int64_t count, const std::vector<T>& lower, std::int64_t first,
                std::int64_t columns, T* rows) const;
  void close_gaps(const ActiveRows& active);

  // L of a step's pivots, for each span of rows, and their rows of U in the columns from `first`
  // on.
  void add(const std::vector<ActiveRows::Span>& rows, const std::vector<blas::Factor<T>>& lower,
           std::int64_t pivots, std::int64_t first, const blas::Factor<T>& upper);
  void clear() { pivots_ = 0; }

 private:
  std::int64_t leading_, columns_, most_;
  std::int64_t pivots_ = 0;
  T *lower_ = nullptr, *upper_ = nullptr;
};

}  // namespace redblue::linalg
