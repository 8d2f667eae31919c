// SPDX-License-Identifier: BSD-3-Clause
// What crosses between processors that share instances evenly, whatever their memory
// (docs/methods/busiest.md, Lemma 3).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bounds/bound.hpp"
#include "bounds/roles.hpp"
#include "dataflow/step.hpp"

namespace redblue::bounds {

// Instances one after the other, `by` apart: where two neighbours of a run are computed by
// different processors a word is received, and one word stands for `weight` such pairs at most.
struct Direction {
  dataflow::Vector by;
  long weight;
  Amount runs;
};

// Instances at places of Z^n.
struct SharedInstances {
  std::string names;  // of their statements
  Amount all;         // of which no processor computes more than its share
  Amount counted;     // those that the runs are made of
  bool inputs_once;   // whether words are inputs, too, that begin in one memory
  std::vector<Direction> directions;
};

// The busiest of p. Nothing where the directions span a line only, or nothing is received.
std::optional<Busiest> crossings(const SharedInstances& shared, const Sizes& sizes);

// Of a statement's instances that read one value at a fixed distance from each other. Nothing where
// no formula counts what it takes.
std::optional<Busiest> crossings_of_reads(const Roles& roles, const Sizes& sizes);

}  // namespace redblue::bounds
