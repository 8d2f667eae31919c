// What is kept of recent calls, so that a kind of call is planned once.
#pragma once

#include <algorithm>
#include <list>
#include <memory>
#include <utility>
#include <vector>

#include "scalapack/descriptor.hpp"

namespace redblue::scalapack {

// Everything about a call but its data; calls with equal keys on one grid share a plan.
using Key = std::vector<long>;

// Numbers, and where the matrices lie.
Key key_of(Key numbers, const std::vector<Submatrix>& matrices);

// The plans of one kind of Way, which has `key` and `grid`. Newest first. Processes may keep
// different ones, as one may belong to more grids than another: planning is local.
template <class Way>
class Recent {
 public:
  // The plan of the key, made by make() where it is not there.
  template <class Make>
  Way& find(const Key& key, const std::shared_ptr<ProcessGrid>& grid, Make make) {
    for (auto it = ways_.begin(); it != ways_.end(); ++it) {
      if (it->key != key || it->grid != grid) continue;
      ways_.splice(ways_.begin(), ways_, it);
      return ways_.front();
    }
    ways_.push_front(make());
    if (ways_.size() > kept) ways_.pop_back();
    return ways_.front();
  }

  // Whether a call of this kind has come before; remembers it. A plan for a call of moderate size
  // pays off when it is used again.
  bool seen_before(const Key& key) {
    const auto found = std::find(seen_.begin(), seen_.end(), key);
    if (found != seen_.end()) {
      seen_.splice(seen_.begin(), seen_, found);
      return true;
    }
    seen_.push_front(key);
    if (seen_.size() > kept) seen_.pop_back();
    return false;
  }

 private:
  static constexpr std::size_t kept = 64;
  std::list<Way> ways_;
  std::list<Key> seen_;
};

}  // namespace redblue::scalapack
