// SPDX-License-Identifier: BSD-3-Clause
// What a set of a statement's instances touches of one array: images of the set under accesses.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "program/program.hpp"

namespace redblue::bounds {

// What is known about the versions of an array in the whole program.
struct VersionChains {
  bool written = false;
  std::vector<const program::Access*>
      fresh_writes;                // writes that do not read the element they overwrite
  bool read_only_in_place = true;  // each read is by the instance that overwrites it
};

VersionChains version_chains(const program::Program& program, const std::string& array);

// The loops a subscript of the access mixes; empty where it mixes none or is no one formula.
std::vector<std::set<int>> subscript_loops(const program::Access& access);

// The loops whose counters the access shows one by one while those of `fixed` stand still; mixed
// subscripts are left out, which can only make the image smaller.
std::vector<int> coordinate_loops(const program::Access& access, const std::set<int>& fixed,
                                  bool& mixed);

// The images of one array under one statement.
struct Image {
  const program::Access* access;
  std::vector<int> loops;
};

// Whether no two of the accesses can meet in an element.
bool disjoint_over_domain(const std::vector<Image>& images);

// Their accesses as text.
std::string list_of(const std::vector<Image>& images);

}  // namespace redblue::bounds
