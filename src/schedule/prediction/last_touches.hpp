// SPDX-License-Identifier: BSD-3-Clause
// Whether values live on where a walk through a part of an order cannot see it.
#pragma once

#include <vector>

#include "schedule/traffic/loop_program.hpp"

namespace redblue::schedule {

// What becomes of a value after a touch of its element.
enum class Fate : std::uint8_t {
  read,   // again
  final,  // computed, untouched from here on, and wanted in slow memory
  dead,
};

// Touches of one kind: by one statement, of one array, reads or writes.
struct TouchKind {
  std::size_t statement = 0, array = 0;
  bool written = false;
};

// What a walk through all of a program at smaller sizes tells about touches whose element is
// untouched for long.
class LastTouches {
 public:
  // `statements`: how many the program has. `tiles`: how much smaller tiles are there, and rows of
  // them, so that as much larger a part of the touches is the last in a tile.
  LastTouches(const LoopProgram& smaller, std::size_t statements, double tiles = 1);

  // Of a touch whose element is among the part `longest` of its kind that are untouched for
  // longest. Where fates differ, so many elements have each as there were.
  Fate fate(const TouchKind& kind, double longest, std::uint32_t element) const;

  std::size_t kinds() const { return all_.size(); }
  std::size_t index(const TouchKind& kind) const {
    return 2 * (kind.statement * arrays_ + kind.array) + (kind.written ? 1 : 0);
  }

 private:
  struct Seen {
    std::int64_t touches = 0;  // until the next one
    Fate fate = Fate::dead;
  };
  std::size_t arrays_;
  double tiles_;
  std::vector<std::vector<Seen>> all_;  // by kind, longest first
  friend class TouchCounter;
};

// The array an element is of.
std::size_t array_of(const std::vector<Box>& arrays, std::int64_t element);

}  // namespace redblue::schedule
