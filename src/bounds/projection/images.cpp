// SPDX-License-Identifier: BSD-3-Clause
#include "bounds/projection/images.hpp"

#include <isl/aff.h>

#include <algorithm>

#include "program/count.hpp"

namespace redblue::bounds {

using program::Access;
using program::Program;
using program::Statement;

namespace {

bool reads_what_it_writes(const Statement& s, const Access& write) {
  return std::any_of(s.reads.begin(), s.reads.end(), [&write](const Access& read) {
    return read.array == write.array && !read.conditional &&
           write.elements.is_subset(read.elements);
  });
}

}  // namespace

VersionChains version_chains(const Program& program, const std::string& array) {
  VersionChains chains;
  for (const Statement& s : program.statements) {
    for (const Access& write : s.writes) {
      if (write.array != array) continue;
      chains.written = true;
      if (!reads_what_it_writes(s, write)) chains.fresh_writes.push_back(&write);
    }
    for (const Access& read : s.reads) {
      if (read.array != array) continue;
      const bool in_place =
          std::any_of(s.writes.begin(), s.writes.end(), [&read](const Access& write) {
            return write.array == read.array && read.elements.is_subset(write.elements);
          });
      chains.read_only_in_place = chains.read_only_in_place && in_place;
    }
  }
  return chains;
}

std::vector<std::set<int>> subscript_loops(const Access& access) {
  std::vector<std::set<int>> result;
  for (const isl::aff& f : program::single_formulas(access.elements)) {
    std::set<int> loops;
    if (isl_aff_dim(f.get(), isl_dim_div) == 0) {
      for (int i = 0; i < static_cast<int>(isl_aff_dim(f.get(), isl_dim_in)); ++i) {
        if (isl_aff_coefficient_sgn(f.get(), isl_dim_in, i) != 0) loops.insert(i);
      }
    }
    result.push_back(loops);
  }
  return result;
}

std::vector<int> coordinate_loops(const Access& access, const std::set<int>& fixed, bool& mixed) {
  std::set<int> loops;
  for (const program::Subscript& s : program::subscripts(access.elements)) {
    if (s.kind == program::Subscript::Kind::coordinate) loops.insert(s.iterator);
    mixed = mixed || (fixed.empty() && s.kind == program::Subscript::Kind::mixed);
  }
  for (std::set<int> all : fixed.empty() ? std::vector<std::set<int>>() : subscript_loops(access)) {
    std::erase_if(all, [&fixed](int t) { return fixed.count(t) != 0; });
    if (all.size() == 1) loops.insert(all.begin(), all.end());
  }
  return {loops.begin(), loops.end()};
}

bool disjoint_over_domain(const std::vector<Image>& images) {
  for (std::size_t a = 0; a < images.size(); ++a) {
    for (std::size_t b = a + 1; b < images.size(); ++b) {
      if (!images[a].access->elements.range().is_disjoint(images[b].access->elements.range()))
        return false;
    }
  }
  return true;
}

std::string list_of(const std::vector<Image>& images) {
  std::string text;
  for (const Image& image : images) text += (text.empty() ? "" : ", ") + image.access->text;
  return text;
}

}  // namespace redblue::bounds
