// SPDX-License-Identifier: BSD-3-Clause
// Whether values live on where a walk through a part of an order cannot see it.
#pragma once

#include <map>
#include <vector>

#include "schedule/traffic/loop_program.hpp"

namespace redblue::schedule {

// What becomes of a value after a touch of its element.
enum class Fate : std::uint8_t {
  read,   // again
  final,  // computed, untouched from here on, and wanted in slow memory
  dead,
};

// Touches of one kind: by instances of one kind, of one array, reads or writes.
struct TouchKind {
  std::size_t instances = 0;  // as LastTouches numbers them
  std::size_t array = 0;
  bool written = false;
};

// What a walk through all of a program at smaller sizes tells about touches whose element is
// untouched for long.
class LastTouches {
 public:
  // `statements`: how many the program has. `part`: of its instances those at the smaller sizes.
  // `tiles`: how much smaller tiles are there, and rows of them, so that as much larger a part of
  // the touches is the last in a tile.
  LastTouches(const LoopProgram& smaller, std::size_t statements, double part, double tiles = 1);

  // The kind of a statement's instances where the same of the loops around it are in their last
  // iteration (as walks tell): where a loop that does not choose an element ends, its value is
  // final, or read by others. Where there are no such instances at smaller sizes: all of the
  // statement's.
  std::size_t instances(std::size_t statement, std::uint32_t last) const;

  // Whether what these instances compute is never overwritten and wanted in slow memory, all of it.
  bool compute_results(std::size_t instances) const { return results_[instances]; }

  // Of a touch whose element is among the part `longest` of its kind that are untouched for
  // longest, and untouched by at least so many touches. Where fates differ, so many elements have
  // each as there were.
  Fate fate(const TouchKind& kind, double longest, std::size_t untouched,
            std::uint32_t element) const;

  std::size_t kinds() const { return all_.size(); }
  std::size_t index(const TouchKind& kind) const {
    return 2 * (kind.instances * arrays_ + kind.array) + (kind.written ? 1 : 0);
  }

 private:
  struct Seen {
    std::int64_t touches = 0;  // until the next one
    Fate fate = Fate::dead;
  };
  std::size_t arrays_;
  double part_, tiles_;
  std::map<std::pair<std::size_t, std::uint32_t>, std::size_t> instances_;
  std::vector<std::vector<Seen>> all_;  // by kind, longest first
  std::vector<bool> results_;           // by instances
  friend class TouchCounter;
};

// The array an element is of.
std::size_t array_of(const std::vector<Box>& arrays, std::int64_t element);

}  // namespace redblue::schedule
