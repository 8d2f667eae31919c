// SPDX-License-Identifier: BSD-3-Clause
// The states that the search for an optimal pebbling (exact.cpp) meets, and where it keeps them.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "redblue/cdag.hpp"

namespace redblue::cdag {

using Mask = std::uint64_t;

constexpr Mask bit(Vertex v) {
  return Mask{1} << static_cast<unsigned>(v);
}

template <class Visit>
void each(Mask mask, Visit visit) {
  for (; mask != 0; mask &= mask - 1) visit(static_cast<Vertex>(std::countr_zero(mask)));
}

struct State {
  Mask later = 0;  // D
  Mask fast = 0;   // R
  Mask slow = 0;   // B
  bool operator==(const State&) const = default;
};

struct Node {
  State state;
  std::uint32_t parent = 0;
  std::uint16_t cost = 0;   // from here to the end of the game
  std::uint8_t undone = 0;  // whose computation the step back from `parent` to here undoes
  std::uint8_t still = 0;   // a lower bound from the start to here; closed when already expanded
};
inline constexpr std::uint8_t closed = 255;

inline std::uint64_t hash(const State& s) {
  std::uint64_t h = s.fast * 0x9e3779b97f4a7c15U;
  h = (h ^ (h >> 29U) ^ s.slow) * 0xbf58476d1ce4e5b9U;
  h = (h ^ (h >> 32U) ^ s.later) * 0x94d049bb133111ebU;
  return h ^ (h >> 31U);
}

// All nodes reached, found by state.
class Table {
 public:
  explicit Table(std::int64_t bytes) : most_bytes_(static_cast<std::size_t>(bytes)) {
    slots_.assign(std::size_t{1} << 16U, 0);
    nodes.emplace_back();  // index 0 is nobody
  }

  // The index of the state's node, made where it is new.
  std::uint32_t at(const State& state, bool& fresh) {
    if (nodes.size() * 2 > slots_.size()) grow();
    std::size_t slot = hash(state) & (slots_.size() - 1);
    for (; slots_[slot] != 0; slot = (slot + 1) & (slots_.size() - 1)) {
      if (nodes[slots_[slot]].state == state) return fresh = false, slots_[slot];
    }
    fresh = true;
    slots_[slot] = static_cast<std::uint32_t>(nodes.size());
    nodes.push_back({state, 0, 0, 0, 0});
    return slots_[slot];
  }

  // Twice the nodes fit only while they can be copied to a larger block.
  bool full() const {
    const std::size_t next =
        nodes.size() == nodes.capacity() ? 3 * nodes.capacity() : nodes.capacity();
    const std::size_t slots = nodes.size() * 2 > slots_.size() ? 3 * slots_.size() : slots_.size();
    return next * sizeof(Node) + slots * sizeof(std::uint32_t) > most_bytes_ * 9 / 10;
  }

  void clear() {
    std::fill(slots_.begin(), slots_.end(), 0);
    nodes.resize(1);
  }

  std::vector<Node> nodes;

 private:
  void grow() {
    slots_.assign(slots_.size() * 2, 0);
    for (std::uint32_t n = 1; n < nodes.size(); ++n) {
      std::size_t slot = hash(nodes[n].state) & (slots_.size() - 1);
      while (slots_[slot] != 0) slot = (slot + 1) & (slots_.size() - 1);
      slots_[slot] = n;
    }
  }

  std::size_t most_bytes_;
  std::vector<std::uint32_t> slots_;
};

}  // namespace redblue::cdag
