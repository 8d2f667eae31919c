// SPDX-License-Identifier: BSD-3-Clause
// A fully associative fast memory whose value used longest ago leaves, on numbered elements.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace redblue::schedule {

// As cdag::replay plays it: a value that nobody reads again leaves at once; one that leaves before
// its last reader is stored, once; operands of the step that runs do not leave.
class Lru {
 public:
  Lru(std::int64_t words, std::int64_t elements)
      : words_(static_cast<std::uint32_t>(std::min(words, elements + 1))),
        place_(static_cast<std::size_t>(elements), 0),
        unsaved_(static_cast<std::size_t>(elements), false),
        before_(words_ + 1),
        after_(words_ + 1),
        element_(words_ + 1) {
    before_[0] = after_[0] = 0;
    for (std::uint32_t w = words_; w > 0; --w) free_.push_back(w);
  }

  // One instance: n - 1 operands, then the result; live[t]: the value is read again.
  template <class Live>
  void step(const std::uint32_t* touched, std::size_t n, const Live& live) {
    bool all = true;
    for (std::size_t t = 0; t + 1 < n; ++t) {
      const std::uint32_t at = place_[touched[t]];
      if (at != 0) {
        to_front(at);
      } else {
        all = false;
      }
    }
    if (!all) load(touched, n - 1);
    place_result(touched, n);
    for (std::size_t t = 0; t + 1 < n; ++t) {
      if (!live(t) && touched[t] != touched[n - 1]) leave(touched[t]);
    }
    if (!live(n - 1)) leave(touched[n - 1]);
  }

  // Values computed and not yet stored: stores still to come where they are outputs.
  bool unsaved(std::size_t element) const { return unsaved_[element]; }

  std::int64_t loads = 0, stores = 0;

 private:
  void load(const std::uint32_t* operands, std::size_t n) {
    for (std::size_t t = 0; t < n; ++t) {
      if (place_[operands[t]] != 0) continue;
      make_room();
      insert(operands[t]);
      ++loads;
    }
    for (std::size_t t = 0; t < n; ++t) to_front(place_[operands[t]]);
  }

  // Beside the operands, of which the element's old value may be one.
  void place_result(const std::uint32_t* touched, std::size_t n) {
    make_room();
    const std::uint32_t result = touched[n - 1];
    if (place_[result] != 0) {
      to_front(place_[result]);
    } else {
      insert(result);
    }
    unsaved_[result] = true;
  }

  void make_room() {
    if (!free_.empty()) return;
    const std::uint32_t oldest = element_[before_[0]];
    if (unsaved_[oldest]) {
      ++stores;
      unsaved_[oldest] = false;
    }
    leave(oldest);
  }

  void insert(std::uint32_t element) {
    const std::uint32_t at = free_.back();
    free_.pop_back();
    element_[at] = element;
    place_[element] = at;
    link(at);
  }

  void link(std::uint32_t at) {
    after_[at] = after_[0];
    before_[at] = 0;
    before_[after_[0]] = at;
    after_[0] = at;
  }

  void unlink(std::uint32_t at) {
    after_[before_[at]] = after_[at];
    before_[after_[at]] = before_[at];
  }

  void to_front(std::uint32_t at) {
    if (after_[0] == at) return;
    unlink(at);
    link(at);
  }

  void leave(std::uint32_t element) {
    const std::uint32_t at = place_[element];
    unlink(at);
    free_.push_back(at);
    place_[element] = 0;
  }

  std::uint32_t words_;
  std::vector<std::uint32_t> place_;  // by element; 0: not held
  std::vector<bool> unsaved_;
  std::vector<std::uint32_t> before_, after_, element_;  // by place, a ring through place 0
  std::vector<std::uint32_t> free_;
};

}  // namespace redblue::schedule
