// SPDX-License-Identifier: BSD-3-Clause
// Storage of its own for values that share storage by accident: what lets loops move.
#pragma once

#include <string>
#include <vector>

#include "program/program.hpp"

namespace redblue::schedule {

// Values that reads cannot tell apart: the writes and reads of one array joined by flow, or reads
// of its first values. Each such family may have storage of its own, with iterators its values
// never cross as further subscripts.
struct Family {
  std::string array;                 // of the original program
  std::string storage;               // a new name, or `array`
  std::vector<int> iterators;        // positions that become leading subscripts
  std::vector<std::size_t> writers;  // statements
  std::vector<std::pair<std::size_t, std::size_t>> readers;  // statement, read
  bool enters = false;                                       // reads values from before the program
  std::vector<isl::map> last;  // element of `array` -> who writes what is seen after the program
  // Has other storage than its array.
  bool moved() const { return storage != array || !iterators.empty(); }
  void put_back() {
    storage = array;
    iterators.clear();
  }
};

std::vector<Family> families(const program::Program& program);

// None has storage of its own.
std::vector<Family> in_place(std::vector<Family> families);

bool same_storage(const std::vector<Family>& a, const std::vector<Family>& b);

// The program with the accesses of all moved families redirected to their storage. What is seen
// after it is where it was written.
program::Program privatised(const program::Program& program, const std::vector<Family>& families);

}  // namespace redblue::schedule
