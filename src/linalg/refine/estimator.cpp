// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/refine/estimator.hpp"
#include "comm/number.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

namespace redblue::linalg {

namespace {

template <class T>
class Estimation {
 public:
  Estimation(comm::Communicator& communicator, const VectorShare& share)
      : communicator_(communicator),
        share_(share),
        x_(static_cast<std::size_t>(share.words())),
        signs_(x_.size()),
        estimates_(static_cast<std::size_t>(share.columns)),
        places_(estimates_.size()),
        searches_(estimates_.size(), true) {}

  std::vector<double> run(const ApplyMatrix<T>& apply);

 private:
  template <class F>
  void for_each(F f) {  // f(column, row of the whole vector, place)
    std::size_t place = 0;
    for (std::size_t c = 0; c < estimates_.size(); ++c) {
      for (std::int64_t r = share_.begin; r < share_.end; ++r, ++place) f(c, r, place);
    }
  }
  std::vector<double> norms();
  std::vector<bool> take_signs();
  void place_maximum(std::vector<bool>& moved);
  bool searching() const {
    return std::find(searches_.begin(), searches_.end(), true) != searches_.end();
  }
  void ascend(const ApplyMatrix<T>& apply);

  comm::Communicator& communicator_;
  VectorShare share_;
  std::vector<T> x_, signs_;
  std::vector<double> estimates_;
  std::vector<std::int64_t> places_;  // of the unit vectors
  std::vector<bool> searches_;        // for a larger column
};

template <class T>
std::vector<double> Estimation<T>::norms() {
  std::vector<double> sums(estimates_.size());
  for_each([&](std::size_t c, std::int64_t, std::size_t x) {
    sums[c] += static_cast<double>(std::abs(x_[x]));
  });
  communicator_.sum(sums);
  return sums;
}

// x becomes its signs; which vectors have changed theirs.
template <class T>
std::vector<bool> Estimation<T>::take_signs() {
  std::vector<double> changed(estimates_.size());
  for_each([&](std::size_t c, std::int64_t, std::size_t x) {
    const auto size = std::abs(x_[x]);
    const T sign = size > std::numeric_limits<decltype(size)>::min() ? x_[x] / size : T(1);
    // complex signs hardly ever come again
    if (!std::is_floating_point_v<T> || sign != signs_[x]) changed[c] = 1;
    x_[x] = signs_[x] = sign;
  });
  communicator_.maximum(changed);
  std::vector<bool> result;
  for (const double c : changed) result.push_back(c != 0);
  return result;
}

// The rows of the vectors' largest elements; those which are larger than at the rows before are
// `moved`.
template <class T>
void Estimation<T>::place_maximum(std::vector<bool>& moved) {
  std::vector<double> most(estimates_.size());
  std::vector<double> before(estimates_.size());
  for_each([&](std::size_t c, std::int64_t r, std::size_t x) {
    const auto size = static_cast<double>(std::abs(x_[x]));
    most[c] = std::max(most[c], size);
    if (r == places_[c]) before[c] = size;
  });
  communicator_.maximum(most);
  communicator_.maximum(before);
  std::vector<double> first(estimates_.size(), -static_cast<double>(share_.n));
  for_each([&](std::size_t c, std::int64_t r, std::size_t x) {
    if (static_cast<double>(std::abs(x_[x])) == most[c]) {
      first[c] = std::max(first[c], -static_cast<double>(r));
    }
  });
  communicator_.maximum(first);
  for (std::size_t c = 0; c < places_.size(); ++c) {
    moved[c] = most[c] > before[c];
    places_[c] = static_cast<std::int64_t>(-first[c]);
    // where nothing can be compared
    if (places_[c] >= share_.n) searches_[c] = false;
  }
}

// Tries the columns of the matrices that promise most.
template <class T>
void Estimation<T>::ascend(const ApplyMatrix<T>& apply) {
  for_each([&](std::size_t c, std::int64_t r, std::size_t x) {
    x_[x] = searches_[c] && r == places_[c] ? T(1) : T(0);
  });
  apply(false, x_.data());
  const std::vector<double> found = norms();
  const std::vector<bool> changed = take_signs();
  for (std::size_t c = 0; c < estimates_.size(); ++c) {
    if (!searches_[c]) continue;
    searches_[c] = changed[c] && found[c] > estimates_[c];
    if (!(found[c] <= estimates_[c])) estimates_[c] = found[c];
  }
  if (!searching()) return;
  apply(true, x_.data());
  std::vector<bool> moved(estimates_.size());
  place_maximum(moved);
  for (std::size_t c = 0; c < estimates_.size(); ++c) searches_[c] = searches_[c] && moved[c];
}

template <class T>
std::vector<double> Estimation<T>::run(const ApplyMatrix<T>& apply) {
  constexpr int most_ascents = 4;
  using Real = decltype(std::abs(T{}));
  const auto n = static_cast<Real>(share_.n);
  std::fill(x_.begin(), x_.end(), T(1 / n));
  apply(false, x_.data());
  estimates_ = norms();
  take_signs();
  apply(true, x_.data());
  std::vector<bool> moved(estimates_.size());
  place_maximum(moved);
  for (int a = 0; a < most_ascents && searching(); ++a) ascend(apply);
  // a vector that deceives few matrices that have deceived the search
  for_each([&](std::size_t, std::int64_t r, std::size_t x) {
    const Real size = 1 + static_cast<Real>(r) / std::max(Real(1), n - 1);
    x_[x] = T(r % 2 == 0 ? size : -size);
  });
  apply(false, x_.data());
  const std::vector<double> last = norms();
  for (std::size_t c = 0; c < estimates_.size(); ++c) {
    const double other = 2 * last[c] / (3 * static_cast<double>(share_.n));
    if (!(other <= estimates_[c])) estimates_[c] = other;
  }
  return estimates_;
}

}  // namespace

template <class T>
std::vector<double> estimated_norms(comm::Communicator& communicator, const VectorShare& share,
                                    const ApplyMatrix<T>& apply) {
  return Estimation<T>(communicator, share).run(apply);
}

// NOLINTBEGIN(bugprone-macro-parentheses): the arguments are types
#define REDBLUE_INSTANTIATE(T)                                                          \
  template std::vector<double> estimated_norms(comm::Communicator&, const VectorShare&, \
                                               const ApplyMatrix<T>&);
// NOLINTEND(bugprone-macro-parentheses)
REDBLUE_FOR_ALL_NUMBERS(REDBLUE_INSTANTIATE)
#undef REDBLUE_INSTANTIATE

}  // namespace redblue::linalg
