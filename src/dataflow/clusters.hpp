// SPDX-License-Identifier: BSD-3-Clause
// Values that belong to one instance: what double s = 0; .. s += u[i + a]; .. v[i] = s makes on its
// way.
#pragma once

#include <string>
#include <vector>

#include "program/program.hpp"

namespace redblue::dataflow {

// A program whose statements read what their instances and those that belong to them read.
struct Clustered {
  program::Program program;
  std::vector<std::string> values;  // arrays that held the values on the way
};

// An instance w of a statement c with k loops and the instances T_w of other statements whose
// first k counters are those of w, where each value of T_w is read, and only by instances of T_w
// and by w. Statements all of whose instances belong so to instances of c are left out, and c reads
// what they read from outside, by one read for each combination of their other counters (where
// these have constant limits, 128 combinations at most; what is read otherwise is left out, too).
//
// This is no graph with a smaller Q: it may be used where docs/methods/isoperimetry.md, Lemma 7,
// is. Takes a program whose sources are derived; those of the result are.
Clustered clustered(const program::Program& program);

}  // namespace redblue::dataflow
