// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/traffic/placement.hpp"

#include <isl/aff.h>
#include <isl/map.h>
#include <isl/set.h>
#include <isl/val.h>

#include <algorithm>

#include "program/checked.hpp"
#include "redblue/error.hpp"

namespace redblue::schedule {

using program::Access;
using program::Program;
using program::Sizes;
using program::Statement;

std::int64_t Box::number(const std::vector<std::int64_t>& subscripts) const {
  std::int64_t at = 0;
  for (std::size_t d = 0; d < low.size(); ++d) at = at * extent[d] + subscripts[d] - low[d];
  return first + at;
}

std::int64_t Box::size() const {
  std::int64_t result = 1;
  for (const std::int64_t e : extent) result = program::product(result, e);
  return result;
}

namespace {

std::int64_t whole(isl_val* value) {
  return program::whole_number(value).value();
}

// The map as sums of the domain's coordinates, where it is that on all of `domain`.
std::vector<Formula> sums_of(const isl::map& map, const isl::set& domain) {
  if (!domain.is_subset(map.domain())) return {};
  const isl::pw_multi_aff all = isl::manage(isl_pw_multi_aff_from_map(map.copy()));
  std::vector<isl::multi_aff> pieces;
  all.foreach_piece(
      [&](const isl::set&, const isl::multi_aff& values) { pieces.push_back(values); });
  if (pieces.size() != 1) return {};
  std::vector<Formula> result;
  for (int d = 0; d < static_cast<int>(isl_multi_aff_dim(pieces[0].get(), isl_dim_out)); ++d) {
    const isl::aff f = isl::manage(isl_multi_aff_get_aff(pieces[0].get(), d));
    if (whole(isl_aff_get_denominator_val(f.get())) != 1) return {};
    Formula sum = number(whole(isl_aff_get_constant_val(f.get())));
    for (int i = 0; i < static_cast<int>(isl_aff_dim(f.get(), isl_dim_in)); ++i) {
      const std::int64_t c = whole(isl_aff_get_coefficient_val(f.get(), isl_dim_in, i));
      if (c != 0) sum.terms.push_back({static_cast<std::size_t>(i), c});
    }
    if (isl_aff_dim(f.get(), isl_dim_div) > 0) return {};
    result.push_back(sum);
  }
  return result;
}

// What the graph has as operands, and the result.
std::vector<const Access*> touched(const Statement& s) {
  std::vector<const Access*> result;
  for (const Access& read : s.reads) {
    if (!read.conditional) result.push_back(&read);
  }
  result.push_back(&s.writes.front());
  return result;
}

using Elements = std::map<std::string, isl::set>;  // touched, by array

Elements touched_elements(const Program& program, const Sizes& sizes) {
  Elements result;
  for (const Statement& s : program.statements) {
    for (const Access* a : touched(s)) {
      const isl::set elements = program::at_sizes(a->elements, sizes).range();
      if (elements.is_empty()) continue;
      const auto [at, added] = result.emplace(a->array, elements);
      if (!added) at->second = at->second.unite(elements);
    }
  }
  return result;
}

Box box_of(const isl::set& elements, std::int64_t first) {
  Box box;
  box.first = first;
  for (int d = 0; d < static_cast<int>(isl_set_dim(elements.get(), isl_dim_set)); ++d) {
    const std::int64_t low = whole(isl_set_dim_min_val(elements.copy(), d));
    box.low.push_back(low);
    box.extent.push_back(whole(isl_set_dim_max_val(elements.copy(), d)) - low + 1);
  }
  return box;
}

// Every array's elements in a box of numbers, one behind the other.
struct Boxes {
  Elements touched;
  std::map<std::string, Box> of;
  std::int64_t elements = 0;
};

Boxes boxes(const Program& program, const Sizes& sizes) {
  Boxes result{touched_elements(program, sizes), {}, 0};
  for (const auto& [array, touched] : result.touched) {
    const Box box = box_of(touched, result.elements);
    result.of.emplace(array, box);
    result.elements = program::sum(result.elements, box.size());
  }
  return result;
}

void mark_outputs(const Program& program, const Sizes& sizes, const std::string& name,
                  const isl::set& elements, const Box& box, std::vector<bool>& output) {
  const std::optional<isl::set>& read = program.arrays.at(name).read_after;
  if (!read) {
    const auto begin = output.begin() + box.first;
    std::fill(begin, begin + box.size(), true);
    return;
  }
  const isl::set here = program::at_sizes(*read, sizes);
  const isl::set named = isl::manage(isl_set_set_tuple_name(here.copy(), name.c_str()));
  // All or none of them is usual, and known without looking at each.
  if (elements.is_subset(named)) {
    const auto begin = output.begin() + box.first;
    std::fill(begin, begin + box.size(), true);
    return;
  }
  std::vector<std::int64_t> subscripts;
  program::for_each_point(named.intersect(elements), Sizes(), [&](auto x) {
    subscripts.assign(x.begin(), x.end());
    output[static_cast<std::size_t>(box.number(subscripts))] = true;
  });
}

}  // namespace

std::int64_t elements(const Program& program, const Sizes& sizes) {
  return boxes(program, sizes).elements;
}

Placement placed(const Program& program, const Sizes& sizes) {
  const Boxes all = boxes(program, sizes);
  if (all.elements > most_elements) {
    throw Error("the traffic of " + program.name,
                "its arrays have more than 1,000,000,000 elements", "give smaller sizes");
  }
  Placement result;
  result.elements = all.elements;
  result.output.assign(static_cast<std::size_t>(all.elements), false);
  for (const auto& [array, touched] : all.touched) {
    result.arrays.push_back(all.of.at(array));
    mark_outputs(program, sizes, array, touched, all.of.at(array), result.output);
  }
  for (const Statement& s : program.statements) {
    const isl::set domain = program::at_sizes(s.domain, sizes);
    std::vector<Reference> references;
    for (const Access* a : touched(s)) {
      const isl::map map = program::at_sizes(a->elements, sizes).intersect_domain(domain);
      if (map.is_empty()) continue;
      references.push_back({all.of.at(a->array), sums_of(map, domain),
                            std::make_shared<const program::Function>(map, Sizes())});
    }
    result.domains.push_back(domain);
    result.references.push_back(std::move(references));
  }
  return result;
}

}  // namespace redblue::schedule
