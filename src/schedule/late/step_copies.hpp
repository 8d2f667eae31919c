// SPDX-License-Identifier: BSD-3-Clause
// Copies of what the steps of the outermost loop read of an array that they change.
//
// Step k of Floyd and Warshall's algorithm reads D[i][k] and D[k][j] for every D[i][j], before the
// step changes them or after it. Kept in copies, neither is lost when D changes again, and an
// element of D may run many steps at once, long after other elements ran them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "program/program.hpp"

namespace redblue::schedule {

// One array of copies: subscripts are the loops of the source that the element read depends on, the
// outermost one first.
struct StepCopy {
  std::string name;           // "D_ik_before"
  std::string element;        // "D[i][k]", as the source reads it
  bool before = true;         // as the step finds it; else as the step leaves it
  std::size_t statement = 0;  // of the changed program: "D_ik_before[k][i] = D[i][k]"
};

// A program with such copies. A statement that reads an element from one copy here and from another
// there has become several, one for each choice.
struct WithCopies {
  program::Program program;
  std::string array;             // that the steps change
  std::string step;              // the outermost loop: "k"
  std::vector<StepCopy> copies;  // the last statements of the program
  // By statement: the name of the original's that it is a part of; of a copy none.
  std::vector<std::string> part_of;
};

// Of a program whose statements share their outermost loop and change one array, some of whose
// elements they read in many instances of a step. Nothing where there are none, or where isl does
// not prove that every instance reads the value which it reads in `program`.
std::optional<WithCopies> with_step_copies(const program::Program& program);

}  // namespace redblue::schedule
