#include "linalg/cholesky.hpp"

#include <algorithm>
#include <complex>
#include <utility>

#include "comm/number.hpp"
#include "linalg/blas.hpp"
#include "linalg/lapack.hpp"

namespace redblue {

using comm::Communicator;
using comm::Message;
using layout::IndexSet;
using layout::Patch;

namespace {

IndexSet indices(const CyclicClasses& rows, int point) {
  std::vector<layout::Interval> intervals;
  for (std::int64_t b = point; b < rows.blocks(); b += rows.classes) {
    intervals.push_back({b * rows.block, b * rows.block + rows.block_size(b), rows.position(b)});
  }
  return IndexSet(std::move(intervals));
}

enum Tag { diagonal_tag, panel_tag };

}  // namespace

layout::Arrangement pair_storage(const CholeskyDecomposition& d, int ranks) {
  const CyclicClasses rows{d.n, d.block, d.points};
  layout::Arrangement result{d.n, d.n, {}};
  result.of_rank.resize(static_cast<std::size_t>(ranks));
  std::vector<IndexSet> of_point;
  for (int p = 0; p < d.points; ++p) of_point.push_back(indices(rows, p));
  for (std::size_t r = 0; r < d.pairs.size(); ++r) {
    std::int64_t offset = 0;
    for (const auto& [i, j] : d.pairs[r]) {
      const IndexSet& down = of_point[static_cast<std::size_t>(i)];
      const IndexSet& across = of_point[static_cast<std::size_t>(j)];
      if (down.empty() || across.empty()) continue;
      result.of_rank[r].push_back({down, across, offset, down.size(), false, false});
      if (i != j) result.of_rank[r].push_back({across, down, offset, down.size(), true, true});
      offset += down.size() * across.size();
    }
  }
  return result;
}

template <class T>
Cholesky<T>::Cholesky(const CholeskyDecomposition& d, Rank me)
    : me_(me.value),
      steps_(d),
      points_(d.points),
      slab_of_point_(static_cast<std::size_t>(d.points)) {
  const CyclicClasses& rows = steps_.rows();
  if (static_cast<std::size_t>(me_) >= d.pairs.size()) return;
  std::int64_t offset = 0;
  for (const auto& [i, j] : d.pairs[static_cast<std::size_t>(me_)]) {
    pairs_.push_back({i, j, offset, std::max<std::int64_t>(1, rows.size(i))});
    offset += rows.size(i) * rows.size(j);
  }
  storage_ = offset;
  for (const int p : d.touched[static_cast<std::size_t>(me_)]) {
    slab_of_point_[static_cast<std::size_t>(p)] = slab_words_;
    slab_words_ += rows.size(p) * d.block;
  }
  // two of each: what is sent of one step may still be under way in the next
  workspace_ = 2 * (slab_words_ + d.block * d.block);
}

template <class T>
const typename Cholesky<T>::Pair* Cholesky<T>::find(int a, int b) const {
  const auto found = std::find_if(pairs_.begin(), pairs_.end(), [&](const Pair& p) {
    return p.i == std::max(a, b) && p.j == std::min(a, b);
  });
  return found == pairs_.end() ? nullptr : &*found;
}

// The step's diagonal block: factored by its owner, brought to all that solve with it.
template <class T>
std::int64_t Cholesky<T>::factor_diagonal(const Communicator& communicator, std::int64_t step, T* a,
                                          T* diagonal, Traffic& traffic) {
  const CyclicClasses& rows = steps_.rows();
  const int q = rows.of_block(step);
  const std::int64_t width = rows.block_size(step);
  const std::vector<int> solvers = steps_.panel_ranks(step);
  const std::vector<comm::Segment> whole = {{0, width * width}};
  std::int64_t info = 0;
  if (steps_.owner(q, q) == me_) {
    const Pair& pair = *find(q, q);
    T* block = a + pair.offset + rows.position(step) * (pair.leading + 1);
    info = lapack::cholesky(width, block, pair.leading);
    for (std::int64_t c = 0; c < width; ++c) {
      std::copy_n(block + c * pair.leading, width, diagonal + c * width);
    }
    for (const int r : solvers) {
      communicator.send(diagonal, Message::of<T>(Rank{r}, diagonal_tag, whole), sends_, traffic);
    }
  } else if (std::binary_search(solvers.begin(), solvers.end(), me_)) {
    std::vector<MPI_Request> arriving;
    communicator.receive(diagonal, Message::of<T>(Rank{steps_.owner(q, q)}, diagonal_tag, whole),
                         arriving, traffic);
    Communicator::wait(arriving);
  }
  return info == 0 ? 0 : step * rows.block + info;
}

// L(p, step) = A(p, step) L(step, step)'^-1 for the points p whose pair with the step's this rank
// holds; to all that need it.
template <class T>
void Cholesky<T>::solve_panel(const Communicator& communicator, std::int64_t step, T* a,
                              const T* diagonal, T* slab, Traffic& traffic) {
  const CyclicClasses& rows = steps_.rows();
  const int q = rows.of_block(step);
  const std::int64_t width = rows.block_size(step);
  const std::int64_t at = rows.position(step);
  for (int turn = 0; turn < points_; ++turn) {
    const int p = (q + 1 + turn) % points_;
    const std::int64_t count = rows.after(p, step);
    if (count == 0 || steps_.owner(p, q) != me_) continue;
    const Pair& pair = *find(p, q);
    const std::int64_t first = rows.before(p, step + 1);
    const bool stands = pair.i == p;  // else it lies, conjugated
    T* block = a + pair.offset + (stands ? first + at * pair.leading : at + first * pair.leading);
    T* panel = slab + slab_of_point_[static_cast<std::size_t>(p)];
    const auto each = [&](auto f) {
      for (std::int64_t c = 0; c < width; ++c) {
        for (std::int64_t r = 0; r < count; ++r) {
          f(panel[r + c * count], block[stands ? r + c * pair.leading : c + r * pair.leading]);
        }
      }
    };
    each([stands](T& x, const T& stored) { x = stands ? stored : conjugated(stored); });
    lapack::solve({lapack::Side::right, 'L', 'C', false}, count, width, diagonal, width, panel,
                  count);
    each([stands](const T& x, T& stored) { stored = stands ? x : conjugated(x); });
    for (const int r : steps_.needers(p, step)) {
      if (r == me_) continue;
      communicator.send(panel, Message::of<T>(Rank{r}, panel_tag + p, {{0, count * width}}), sends_,
                        traffic);
    }
  }
}

template <class T>
void Cholesky<T>::update(std::int64_t step, T* a, const T* slab) const {
  const CyclicClasses& rows = steps_.rows();
  const std::int64_t width = rows.block_size(step);
  for (const Pair& pair : pairs_) {
    const std::int64_t down = rows.after(pair.i, step);
    const std::int64_t across = rows.after(pair.j, step);
    if (down == 0 || across == 0) continue;
    const blas::Factor<T> left = {slab + slab_of_point_[static_cast<std::size_t>(pair.i)], down};
    T* c = a + pair.offset + rows.before(pair.i, step + 1) +
           rows.before(pair.j, step + 1) * pair.leading;
    if (pair.i == pair.j) {
      blas::rank_k(true, down, width, T(-1), left, T(1), c, pair.leading);
      continue;
    }
    blas::gemm(down, across, width, T(-1), left,
               {slab + slab_of_point_[static_cast<std::size_t>(pair.j)], across, 'C'}, T(1), c,
               pair.leading);
  }
}

template <class T>
std::int64_t Cholesky<T>::factor(const Communicator& communicator, T* a, T* workspace,
                                 Traffic& traffic) {
  const CyclicClasses& rows = steps_.rows();
  std::int64_t info = 0;
  std::vector<MPI_Request> earlier;  // sends of the step before
  for (std::int64_t t = 0; t < steps_.count(); ++t) {
    T* slab = workspace + t % 2 * slab_words_;
    T* diagonal = workspace + 2 * slab_words_ + t % 2 * rows.block * rows.block;
    Communicator::wait(earlier);
    std::swap(earlier, sends_);
    for (const int p : steps_.needed(me_, t)) {
      const int source = steps_.owner(p, rows.of_block(t));
      if (source == me_) continue;
      communicator.receive(
          slab + slab_of_point_[static_cast<std::size_t>(p)],
          Message::of<T>(Rank{source}, panel_tag + p, {{0, rows.after(p, t) * rows.block_size(t)}}),
          receives_, traffic);
    }
    const std::int64_t found = factor_diagonal(communicator, t, a, diagonal, traffic);
    if (info == 0) info = found;
    solve_panel(communicator, t, a, diagonal, slab, traffic);
    Communicator::wait(receives_);
    update(t, a, slab);
  }
  Communicator::wait(earlier);
  Communicator::wait(sends_);
  return info;
}

template class Cholesky<float>;
template class Cholesky<double>;
template class Cholesky<std::complex<float>>;
template class Cholesky<std::complex<double>>;

}  // namespace redblue
