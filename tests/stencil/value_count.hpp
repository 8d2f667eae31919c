// SPDX-License-Identifier: BSD-3-Clause
// What a scheme moves, counted value by value: for every point of every step, who computes it when,
// which values it reads, and where they are. Nothing is shared with the model but the definitions.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "redblue/stencil_model.hpp"

namespace redblue::stencil {

// Of new = f(old) with one radius m in all dimensions.
class ValueCount {
 public:
  ValueCount(const StencilProgram& program, const StencilDecomposition& decomposition,
             std::int64_t steps)
      : p_(program),
        d_(decomposition),
        read_(program.sweeps[0].reads[0]),
        words_(static_cast<std::size_t>(decomposition.ranks)),
        updates_(words_.size()) {
    m_ = read_.below[0];
    torus_ = p_.boundary == StencilBoundary::periodic;
    for (std::size_t j = 0; j < 3; ++j) {
      inner_[j] = {p_.sweeps[0].interior.begin[j], p_.sweeps[0].interior.end[j]};
    }
    run(steps);
  }

  std::int64_t words(int rank) const { return words_[static_cast<std::size_t>(rank)]; }
  std::int64_t updates(int rank) const { return updates_[static_cast<std::size_t>(rank)]; }
  // Without the boundary's, which the paper does not have.
  std::int64_t most_words_in_a_stage() const { return most_in_stage_; }
  std::int64_t synchronisations() const {
    std::int64_t most = 0;
    for (const auto& [rank, stages] : exchanges_) {
      most = std::max(most, static_cast<std::int64_t>(stages.size()));
    }
    return most;
  }

 private:
  using Place = std::array<std::int64_t, 3>;
  struct Holder {  // a part of one dimension: whose, and whether it waits for the neighbour
    std::int64_t chunk;
    bool late;
    bool operator<(const Holder& o) const {
      return std::tie(chunk, late) < std::tie(o.chunk, o.late);
    }
  };

  std::int64_t size(std::size_t j) const { return inner_[j].size(); }
  std::int64_t wrap(std::int64_t x, std::size_t j) const {
    return torus_ ? (x % p_.extents[j] + p_.extents[j]) % p_.extents[j] : x;
  }
  bool computed(const Place& x) const {
    for (std::size_t j = 0; j < 3; ++j) {
      if (x[j] < inner_[j].begin || x[j] >= inner_[j].end) return false;
    }
    return true;
  }

  // The even cut, larger blocks first.
  std::int64_t block_begin(std::int64_t c, std::size_t j) const {
    const std::int64_t g = d_.grid[j];
    return inner_[j].begin + c * (size(j) / g) + std::min(c, size(j) % g);
  }
  std::int64_t block_of(std::int64_t x, std::size_t j) const {
    std::int64_t c = 0;
    while (c + 1 < d_.grid[j] && x >= block_begin(c + 1, j)) ++c;
    return c;
  }

  // Who computes x in dimension j at step l = 0 .. of a pass, moved back by `shift` in Schedule 1.
  Holder holder(std::int64_t x, std::size_t j, std::int64_t l, std::int64_t shift) const {
    if (d_.scheme == StencilScheme::outer_blocked) {
      return {(x + (m_of(j) > 0 ? shift : 0) - inner_[j].begin) / d_.side[j], false};
    }
    const std::int64_t c = block_of(x, j);
    if (d_.scheme != StencilScheme::trapezoid) return {c, false};
    const std::int64_t g = d_.grid[j];
    const std::int64_t in = m_of(j) * l;
    const bool at_begin = torus_ || c > 0;
    const bool at_end = torus_ || c + 1 < g;
    if (at_begin && m_of(j) > 0 && x < block_begin(c, j) + in) return {(c + g - 1) % g, true};
    if (at_end && m_of(j) > 0 && x >= block_begin(c + 1, j) - in) return {c, true};
    return {c, false};
  }
  std::int64_t m_of(std::size_t j) const { return static_cast<int>(j) < p_.dimensions ? m_ : 0; }

  int rank_of(const Place& chunk) const {
    std::int64_t rank = 0;
    for (std::size_t j = 0; j < 3; ++j) rank = rank * d_.grid[j] + chunk[j] % d_.grid[j];
    return static_cast<int>(rank);
  }

  // The caller's: the boundary belongs to the block beside it.
  Place owner(const Place& x) const {
    Place chunk;
    for (std::size_t j = 0; j < 3; ++j) {
      const std::int64_t y = std::clamp(x[j], inner_[j].begin, inner_[j].end - 1);
      chunk[j] = d_.scheme == StencilScheme::outer_blocked ? (y - inner_[j].begin) / d_.side[j]
                                                           : block_of(y, j);
    }
    return chunk;
  }

  template <class F>
  void for_each_read(const Place& x, F f) const {
    for (std::int64_t a = -m_of(0); a <= m_of(0); ++a) {
      for (std::int64_t b = -m_of(1); b <= m_of(1); ++b) {
        for (std::int64_t c = -m_of(2); c <= m_of(2); ++c) {
          if (read_.star && (a != 0) + (b != 0) + (c != 0) > 1) continue;
          f(Place{x[0] + a, x[1] + b, x[2] + c});
        }
      }
    }
  }

  template <class F>
  static void for_each(const std::array<Range, 3>& box, F f) {
    for (std::int64_t a = box[0].begin; a < box[0].end; ++a) {
      for (std::int64_t b = box[1].begin; b < box[1].end; ++b) {
        for (std::int64_t c = box[2].begin; c < box[2].end; ++c) f(Place{a, b, c});
      }
    }
  }

  struct Key {  // who needs it (a chunk and, of a torus, where it has the point), and which value
    Place chunk, at;
    std::int64_t version;
    bool operator<(const Key& o) const {
      return std::tie(chunk, at, version) < std::tie(o.chunk, o.at, o.version);
    }
  };

  void receive(const Place& chunk, const Place& at, std::int64_t version, const Place& from,
               std::int64_t stage) {
    if (!have_.insert({chunk, at, version}).second) return;
    const int to_rank = rank_of(chunk);
    const int from_rank = rank_of(from);
    if (to_rank == from_rank) return;
    ++words_[static_cast<std::size_t>(to_rank)];
    exchanges_[to_rank].insert(stage);
    exchanges_[from_rank].insert(stage);
    if (version == constant) return;
    most_in_stage_ = std::max(most_in_stage_, ++in_stage_[{stage, to_rank}]);
  }

  void run(std::int64_t steps) {
    std::int64_t first_stage = 0;
    std::int64_t back = 0;
    bool forward = true;
    for (std::int64_t done = 0; done < steps; done += d_.depth) {
      const std::int64_t count = std::min(d_.depth, steps - done);
      forget_but_constants();
      if (d_.scheme == StencilScheme::pa0 || d_.scheme == StencilScheme::pa1) {
        halo_pass(done, count, first_stage);
      } else {
        shared_pass(done, count, first_stage, back, forward);
      }
      if (d_.scheme == StencilScheme::outer_blocked) {
        back += forward ? m_ * (count - 1) : -m_ * (count - 1);
        forward = !forward;
      }
      first_stage += 1'000'000;
    }
    if (steps == 0) return;
    forget_but_constants();
    for_each(inner_, [&](const Place& x) {
      const Place home = owner(x);
      const Place from = last_.empty() ? home : last_.at(x).second;
      if (from != home) receive(home, x, steps, from, first_stage);
    });
  }

  void forget_but_constants() {
    std::erase_if(have_, [](const Key& k) { return k.version != constant; });
  }

  // Halos: boxes around blocks, smaller from step to step.
  void halo_pass(std::int64_t done, std::int64_t count, std::int64_t stage) {
    const std::array<Range, 3> grid = {Range{0, d_.grid[0]}, Range{0, d_.grid[1]},
                                       Range{0, d_.grid[2]}};
    for_each(grid, [&](const Place& chunk) {
      for (std::int64_t l = 0; l < count; ++l) {
        std::array<Range, 3> box;
        for (std::size_t j = 0; j < 3; ++j) {
          const std::int64_t more = m_of(j) * (count - 1 - l);
          box[j] = {block_begin(chunk[j], j) - more, block_begin(chunk[j] + 1, j) + more};
          if (torus_) continue;
          box[j] = {std::max(box[j].begin, inner_[j].begin), std::min(box[j].end, inner_[j].end)};
        }
        for_each(box, [&](const Place& x) {
          ++updates_[static_cast<std::size_t>(rank_of(chunk))];
          for_each_read(x, [&](const Place& y) {
            Place on_mesh;
            for (std::size_t j = 0; j < 3; ++j) on_mesh[j] = wrap(y[j], j);
            const bool fixed = !computed(on_mesh);
            if (l > 0 && !fixed) return;  // its own
            const Place from = owner(on_mesh);
            bool own = from == chunk;
            for (std::size_t j = 0; j < 3; ++j) own = own && on_mesh[j] == y[j];
            if (!own) receive(chunk, y, fixed ? constant : done, from, stage);
          });
        });
      }
    });
  }

  // Where a chunk has a point that it reads: beside the point it computes.
  void shared_pass(std::int64_t done, std::int64_t count, std::int64_t first_stage,
                   std::int64_t back, bool forward) {
    std::map<std::pair<Place, std::int64_t>, Place> whose;  // (point, step of the pass) -> chunk
    struct Work {
      std::int64_t stage, step;
      Place chunk, point, at;
    };
    std::vector<Work> all;
    std::array<std::int64_t, 3> z;
    for (std::size_t j = 0; j < 3; ++j) {
      // enough blocks for the farthest shift; their order is all that matters
      z[j] = (size(j) + m_of(j) * d_.depth) / (d_.side[j] * d_.grid[j]) + 1;
    }
    for (std::int64_t l = 0; l < count; ++l) {
      const std::int64_t shift = back + (forward ? m_ * l : -m_ * l);
      for_each(inner_, [&](const Place& x) {
        Work w = {0, l, {}, x, x};
        std::int64_t order = 0;
        for (std::size_t j = 0; j < 3; ++j) {
          const Holder h = holder(x[j], j, l, shift);
          w.chunk[j] = h.chunk;
          w.stage += h.late ? 1 : 0;
          order = order * z[j] + h.chunk / d_.grid[j];
          // an inverted part may lie on the other side of the torus
          if (h.late && torus_ && x[j] < block_begin(h.chunk, j)) w.at[j] += p_.extents[j];
        }
        if (d_.scheme == StencilScheme::outer_blocked) {
          if (!forward) order = z[0] * z[1] * z[2] - 1 - order;
          w.stage = order * count + l;
        }
        whose[{x, l}] = w.chunk;
        all.push_back(w);
        ++updates_[static_cast<std::size_t>(rank_of(w.chunk))];
      });
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const Work& a, const Work& b) { return a.stage < b.stage; });
    // where each chunk has what it computed: on a torus one point may be at two places
    std::set<Key> made;
    for (const Work& w : all) made.insert({w.chunk, w.at, done + w.step + 1});
    for (const auto& k : made_before_) made.insert(k);
    for (const Work& w : all) {
      for_each_read(w.at, [&](const Place& y) {
        Place x;
        for (std::size_t j = 0; j < 3; ++j) x[j] = wrap(y[j], j);
        const bool fixed = !computed(x);
        const std::int64_t version = fixed ? constant : done + w.step;
        if (made.contains({w.chunk, y, version})) return;
        Place from = owner(x);
        if (!fixed && w.step > 0) {
          from = whose.at({x, w.step - 1});
        } else if (!fixed && done > 0) {
          from = last_.at(x).second;
        }
        const bool given = fixed || (w.step == 0 && done == 0);
        if (given && from == w.chunk && x == y) return;
        receive(w.chunk, y, version, from, first_stage + w.stage);
      });
    }
    made_before_.clear();
    for (const Work& w : all) {
      if (w.step + 1 != count) continue;
      made_before_.insert({w.chunk, w.at, done + count});
      last_[w.point] = {done + count, w.chunk};
    }
  }

  static constexpr std::int64_t constant = -1;
  StencilProgram p_;
  StencilDecomposition d_;
  StencilRead read_;
  std::int64_t m_ = 0;
  bool torus_ = false;
  std::array<Range, 3> inner_;
  std::vector<std::int64_t> words_, updates_;
  std::set<Key> have_;
  std::set<Key> made_before_;
  std::map<Place, std::pair<std::int64_t, Place>> last_;  // who has the latest value
  std::map<int, std::set<std::int64_t>> exchanges_;
  std::map<std::pair<std::int64_t, int>, std::int64_t> in_stage_;
  std::int64_t most_in_stage_ = 0;
};

}  // namespace redblue::stencil
