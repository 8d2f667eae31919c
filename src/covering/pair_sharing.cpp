// SPDX-License-Identifier: BSD-3-Clause
#include "covering/pair_sharing.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>

namespace redblue::covering {

namespace {

using Pair = std::pair<int, int>;

// Work of a pair, in halves of a square: on the diagonal only one half counts.
int work(const Pair& p) {
  return p.first == p.second ? 1 : 2;
}

class Sharing {
 public:
  explicit Sharing(const Covering& covering)
      : points_(static_cast<std::size_t>(covering.points)),
        sets_(covering.sets),
        sets_of_(points_),
        owner_(points_ * points_, -1) {
    for (std::size_t s = 0; s < sets_.size(); ++s) enlist(s);
    const std::vector<int> choices = find_owners();
    for (int i = 0; i < covering.points; ++i) {
      for (int j = 0; j <= i; ++j) {
        const bool contested = choices[index(i, j)] > 1;
        give({i, j}, contested ? lightest(contenders({i, j})) : owner(i, j));
      }
    }
  }

  // A set of its own for one more rank: points whose pairs the busiest sets hold.
  void add_set(std::size_t size) {
    std::vector<int> load = load_;
    std::vector<int> chosen = busiest_pair();
    while (chosen.size() < size) {
      int best = -1;
      std::int64_t most = -1;
      for (int p = 0; p < static_cast<int>(points_); ++p) {
        if (std::find(chosen.begin(), chosen.end(), p) != chosen.end()) continue;
        std::int64_t gain = 0;
        for (const int c : chosen) {
          const std::int64_t x = load[owner(p, c)];
          gain += x * x;
        }
        if (gain > most) {
          most = gain;
          best = p;
        }
      }
      for (const int c : chosen) load[owner(best, c)] -= work({best, c});
      chosen.push_back(best);
    }
    std::sort(chosen.begin(), chosen.end());
    sets_.push_back(std::move(chosen));
    const std::size_t set = sets_.size() - 1;
    enlist(set);
    for (const int i : sets_[set]) {
      for (const int j : sets_[set]) {
        if (j > i) continue;
        contenders({i, j});
        move_if_lighter({i, j}, set);
      }
    }
  }

  // Moves pairs to less busy sets while that helps.
  void even_out() {
    constexpr int most_sweeps = 20;
    for (int s = 0; s < most_sweeps && sweep(); ++s) {
    }
  }

  PairSharing result() const {
    PairSharing r{sets_, std::vector<std::vector<Pair>>(sets_.size())};
    for (int i = 0; i < static_cast<int>(points_); ++i) {
      for (int j = 0; j <= i; ++j) r.pairs[owner(i, j)].emplace_back(i, j);
    }
    return r;
  }

 private:
  std::size_t owner(int i, int j) const {
    return static_cast<std::size_t>(owner_[index(std::max(i, j), std::min(i, j))]);
  }
  std::size_t index(int i, int j) const {
    return static_cast<std::size_t>(i) * points_ + static_cast<std::size_t>(j);
  }

  void enlist(std::size_t set) {
    for (const int p : sets_[set]) sets_of_[static_cast<std::size_t>(p)].push_back(set);
    load_.resize(set + 1);
  }

  std::vector<std::size_t> both(int i, int j) const {
    const auto& x = sets_of_[static_cast<std::size_t>(i)];
    const auto& y = sets_of_[static_cast<std::size_t>(j)];
    std::vector<std::size_t> result;
    std::set_intersection(x.begin(), x.end(), y.begin(), y.end(), std::back_inserter(result));
    return result;
  }

  // How many sets contain each pair; one of them becomes its owner.
  std::vector<int> find_owners() {
    std::vector<int> choices(owner_.size(), 0);
    for (std::size_t s = 0; s < sets_.size(); ++s) {
      for (const int i : sets_[s]) {
        for (const int j : sets_[s]) {
          if (j > i) break;
          owner_[index(i, j)] = static_cast<int>(s);
          ++choices[index(i, j)];
        }
      }
    }
    return choices;
  }

  // The sets that contain the pair, which from now on may go from one to another.
  const std::vector<std::size_t>& contenders(const Pair& p) {
    std::vector<std::size_t>& sets = contested_[p];
    sets = both(p.first, p.second);
    return sets;
  }

  std::size_t lightest(const std::vector<std::size_t>& sets) const {
    return *std::min_element(sets.begin(), sets.end(),
                             [this](std::size_t a, std::size_t b) { return load_[a] < load_[b]; });
  }

  void give(const Pair& p, std::size_t set) {
    owner_[index(p.first, p.second)] = static_cast<int>(set);
    load_[set] += work(p);
  }

  bool move_if_lighter(const Pair& p, std::size_t to) {
    const std::size_t from = owner(p.first, p.second);
    if (load_[from] <= load_[to] + work(p)) return false;
    load_[from] -= work(p);
    give(p, to);
    return true;
  }

  bool sweep() {
    bool moved = false;
    for (const auto& [pair, sets] : contested_) {
      if (move_if_lighter(pair, lightest(sets))) moved = true;
    }
    return moved;
  }

  std::vector<int> busiest_pair() const {
    std::vector<int> best = {0};
    int most = -1;
    for (int i = 0; i < static_cast<int>(points_); ++i) {
      for (int j = 0; j < i; ++j) {
        if (load_[owner(i, j)] <= most) continue;
        most = load_[owner(i, j)];
        best = {j, i};
      }
    }
    return best;
  }

  std::size_t points_;
  std::vector<std::vector<int>> sets_;
  std::vector<std::vector<std::size_t>> sets_of_;  // of each point, ascending
  std::vector<int> owner_;                         // of pair (i, j), i >= j
  std::vector<int> load_;
  std::map<Pair, std::vector<std::size_t>> contested_;  // pairs that several sets contain
};

}  // namespace

PairSharing share_pairs(const Covering& covering, int members) {
  Sharing sharing(covering);
  sharing.even_out();
  std::size_t size = 0;
  for (const std::vector<int>& s : covering.sets) size = std::max(size, s.size());
  // beyond some thousand ranks the search for more sets would take minutes
  constexpr std::size_t searched = 200000;
  const bool few =
      static_cast<std::size_t>(covering.points) * static_cast<std::size_t>(members) <= searched;
  for (int m = static_cast<int>(covering.sets.size()); few && m < members; ++m) {
    sharing.add_set(size);
  }
  sharing.even_out();
  return sharing.result();
}

}  // namespace redblue::covering
