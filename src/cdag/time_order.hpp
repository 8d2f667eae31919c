// SPDX-License-Identifier: BSD-3-Clause
// Things in the order of times that are vectors of whole numbers, compared first component first.
#pragma once

#include <algorithm>
#include <boost/sort/spreadsort/spreadsort.hpp>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "redblue/error.hpp"

namespace redblue::cdag {

__extension__ using WideKey = unsigned __int128;

// Times as single numbers in the same order: what is seen of each component gives the base of a
// digit.
class TimeKeys {
 public:
  void see(const std::vector<std::int64_t>& time) {
    if (least_.empty()) least_ = most_ = time;
    for (std::size_t d = 0; d < time.size(); ++d) {
      least_[d] = std::min(least_[d], time[d]);
      most_[d] = std::max(most_[d], time[d]);
    }
  }

  // How many bits a key has, rounded up a little.
  double bits() const {
    double bits = 1;
    for (std::size_t d = 0; d < least_.size(); ++d)
      bits += std::log2(static_cast<double>(distance<WideKey>(most_[d], least_[d])) + 1);
    return bits;
  }

  template <class Key>
  Key key(const std::vector<std::int64_t>& time) const {
    Key key = 0;
    for (std::size_t d = 0; d < time.size(); ++d)
      key = key * (distance<Key>(most_[d], least_[d]) + 1) + distance<Key>(time[d], least_[d]);
    return key;
  }

 private:
  template <class Key>
  static Key distance(std::int64_t a, std::int64_t b) {
    return static_cast<Key>(a) - static_cast<Key>(b);
  }

  std::vector<std::int64_t> least_, most_;
};

template <class Key>
using Timed = std::pair<Key, std::uint32_t>;  // a key, and what has it

// By key, those with one key by number.
inline void sort_timed(std::vector<Timed<WideKey>>& timed) {
  std::sort(timed.begin(), timed.end());
}

inline void sort_timed(std::vector<Timed<std::uint64_t>>& timed) {
  using One = Timed<std::uint64_t>;
  boost::sort::spreadsort::integer_sort(
      timed.begin(), timed.end(), [](const One& t, unsigned offset) { return t.first >> offset; },
      [](const One& a, const One& b) { return a < b; });
  for (auto begin = timed.begin(); begin != timed.end();) {
    const auto end = std::find_if(begin + 1, timed.end(),
                                  [begin](const One& t) { return t.first != begin->first; });
    if (end - begin > 1) std::sort(begin, end);
    begin = end;
  }
}

template <class Key, class TimeOf>
std::vector<std::uint32_t> in_order_of_keys(std::uint32_t n, const TimeKeys& keys,
                                            const TimeOf& time_of) {
  std::vector<std::int64_t> time;
  std::vector<Timed<Key>> timed;
  timed.reserve(n);
  for (std::uint32_t i = 0; i < n; ++i) {
    time_of(i, time);
    timed.emplace_back(keys.template key<Key>(time), i);
  }
  if (!std::is_sorted(timed.begin(), timed.end())) sort_timed(timed);
  std::vector<std::uint32_t> order(n);
  std::transform(timed.begin(), timed.end(), order.begin(),
                 [](const Timed<Key>& t) { return t.second; });
  return order;
}

// The numbers below `n` in the order of their times, those with one time as numbers:
// `time_of(i, time)` writes that of number i, as many components for each. It is called twice for
// each, as to keep all times would take more memory than all else. `what` is for errors.
template <class TimeOf>
std::vector<std::uint32_t> in_order_of_time(std::uint32_t n, const std::string& what,
                                            const TimeOf& time_of) {
  std::vector<std::int64_t> time;
  TimeKeys keys;
  for (std::uint32_t i = 0; i < n; ++i) {
    time_of(i, time);
    keys.see(time);
  }
  constexpr double narrow = 64, wide = 128;
  if (keys.bits() < narrow) return in_order_of_keys<std::uint64_t>(n, keys, time_of);
  if (keys.bits() < wide) return in_order_of_keys<WideKey>(n, keys, time_of);
  throw Error(what, "its times are too large", "give smaller sizes");
}

}  // namespace redblue::cdag
