// SPDX-License-Identifier: BSD-3-Clause
// Fully associative fast memories whose value used longest ago leaves, on numbered elements.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace redblue::schedule {

// Memories of several capacities at once. Each plays as cdag::replay does: a value that nobody
// reads again leaves at once; one that leaves before its last reader is stored, once; operands of
// the step that runs do not leave.
//
// What a smaller memory holds was used later than what only a larger one holds [mattson1970]. So
// one list, by last use, serves all: its first held(0) values are in memory 0, its first held(1)
// in memory 1, ..
class Lru {
 public:
  // `words`: from the smallest to the largest, 8 at most.
  Lru(const std::vector<std::int64_t>& words, std::int64_t elements)
      : place_(static_cast<std::size_t>(elements), 0),
        unsaved_(static_cast<std::size_t>(elements), 0),
        nodes_(1) {
    for (const std::int64_t w : words) memories_.push_back({w, 0, 0, 0, 0, false});
    all_unsaved_ = static_cast<std::uint8_t>((1U << memories_.size()) - 1);
  }

  // One instance: n - 1 operands, then the result; live[t]: the value is read again.
  template <class Live>
  void step(const std::uint32_t* touched, std::size_t n, const Live& live) {
    bool all = true;
    for (std::size_t t = 0; t + 1 < n; ++t) all = use(touched[t]) && all;
    if (!all) make_room(0);
    make_room(1);
    const std::uint32_t result = touched[n - 1];
    place(result);
    unsaved_[result] = all_unsaved_;
    for (std::size_t t = 0; t + 1 < n; ++t) {
      if (!live(t) && touched[t] != result) leave(touched[t]);
    }
    if (!live(n - 1)) leave(result);
  }

  // The same touches, one after the other, in a cache that knows nothing of values: none leaves
  // before its turn, and a result takes the place of what its element held.
  void access(const std::uint32_t* touched, std::size_t n) {
    for (std::size_t t = 0; t + 1 < n; ++t) {
      if (!use(touched[t])) make_room(0);
    }
    if (place(touched[n - 1]) > 0) make_room(0);
    unsaved_[touched[n - 1]] = all_unsaved_;
  }

  // Values computed and not yet stored: stores still to come where they are outputs.
  bool unsaved(std::size_t memory, std::size_t element) const {
    return ((unsaved_[element] >> memory) & 1U) != 0;
  }
  // Stored already, for all memories.
  void save(std::size_t element) { unsaved_[element] = 0; }
  // Whether a value left for want of room: from then on the memory holds what it would hold after
  // any other steps before the first one.
  bool was_full(std::size_t memory) const { return memories_[memory].was_full; }
  std::int64_t held(std::size_t memory) const { return memories_[memory].held; }
  std::int64_t loads(std::size_t memory) const { return memories_[memory].loads; }
  std::int64_t stores(std::size_t memory) const { return memories_[memory].stores; }

 private:
  struct Memory {
    std::int64_t words, held;
    std::uint32_t last;  // the node of those held that was used longest ago; 0: none
    std::int64_t loads, stores;
    bool was_full;
  };
  struct Node {  // of a ring through node 0
    std::uint32_t before = 0, after = 0, element = 0;
    std::uint32_t smallest = 0;  // memory that holds it
  };

  // An operand, to the front of all memories, which may then hold too much. Whether the smallest
  // held it.
  bool use(std::uint32_t element) {
    const std::uint32_t at = place_[element];
    if (at != 0 && nodes_[at].smallest == 0) {
      to_front(at);
      return true;
    }
    const std::size_t missing = place(element);
    for (std::size_t m = 0; m < missing; ++m) ++memories_[m].loads;
    return false;
  }

  // Into all memories, at the front; how many, from the smallest, did not hold it.
  std::size_t place(std::uint32_t element) {
    std::uint32_t at = place_[element];
    std::size_t missing = memories_.size();
    if (at == 0) {
      at = insert(element);
    } else {
      missing = nodes_[at].smallest;
      to_front(at);
      nodes_[at].smallest = 0;
    }
    for (std::size_t m = 0; m < missing; ++m) {
      if (memories_[m].held++ == 0) memories_[m].last = at;
    }
    return missing;
  }

  // In every memory, for so many words more.
  void make_room(std::int64_t more) {
    for (std::size_t m = 0; m < memories_.size(); ++m) {
      Memory& memory = memories_[m];
      while (memory.held + more > memory.words) {
        const std::uint32_t at = memory.last;
        std::uint8_t& unsaved = unsaved_[nodes_[at].element];
        memory.stores += (unsaved >> m) & 1U;
        unsaved = static_cast<std::uint8_t>(unsaved & ~(1U << m));
        memory.last = nodes_[at].before;
        memory.was_full = true;
        --memory.held;
        nodes_[at].smallest = static_cast<std::uint32_t>(m + 1);
        if (m + 1 == memories_.size()) remove(at);
      }
    }
  }

  std::uint32_t insert(std::uint32_t element) {
    if (free_.empty()) {
      free_.push_back(static_cast<std::uint32_t>(nodes_.size()));
      nodes_.emplace_back();
    }
    const std::uint32_t at = free_.back();
    free_.pop_back();
    nodes_[at].element = element;
    nodes_[at].smallest = 0;
    place_[element] = at;
    link(at);
    return at;
  }

  void link(std::uint32_t at) {
    nodes_[at].after = nodes_[0].after;
    nodes_[at].before = 0;
    nodes_[nodes_[0].after].before = at;
    nodes_[0].after = at;
  }

  void unlink(std::uint32_t at) {
    nodes_[nodes_[at].before].after = nodes_[at].after;
    nodes_[nodes_[at].after].before = nodes_[at].before;
  }

  void to_front(std::uint32_t at) {
    if (nodes_[0].after == at) return;
    for (Memory& memory : memories_) {
      if (memory.last == at) memory.last = nodes_[at].before;
    }
    unlink(at);
    link(at);
  }

  void leave(std::uint32_t element) {
    const std::uint32_t at = place_[element];
    for (std::size_t m = nodes_[at].smallest; m < memories_.size(); ++m) {
      Memory& memory = memories_[m];
      --memory.held;
      if (memory.last == at) memory.last = nodes_[at].before;
    }
    remove(at);
  }

  void remove(std::uint32_t at) {
    unlink(at);
    free_.push_back(at);
    place_[nodes_[at].element] = 0;
  }

  std::vector<std::uint32_t> place_;   // by element: its node; 0: held nowhere
  std::vector<std::uint8_t> unsaved_;  // by element: a bit per memory
  std::vector<Memory> memories_;
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> free_;
  std::uint8_t all_unsaved_ = 0;
};

}  // namespace redblue::schedule
