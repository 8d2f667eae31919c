// SPDX-License-Identifier: BSD-3-Clause
// The part of RegionReader that says which element an expression is: pointers to rows and arguments
// of calls are looked through, and flat arrays get their dimensions back.
#include <isl/map.h>
#include <isl/set.h>

#include <algorithm>
#include <regex>

#include "frontend/c/containers.hpp"
#include "frontend/c/region.hpp"

namespace redblue::frontend::c {

// What a pointer or a reference is set to once and for all.
std::optional<Node> RegionReader::pointed_at(const Node& pointer) const {
  const CXType type = pointer.type();
  const bool is_span = is_container(type) && !owns_elements(type) && is_record(type);
  const auto value = initial_value(pointer);
  if (is_reference(type)) return value && is_place(*value) ? value : std::nullopt;
  const bool fixed =
      (type.kind == CXType_Pointer || is_span) && reassigned_.count(pointer.key()) == 0;
  return fixed ? value : std::nullopt;
}

// The variables of the expression mean the same wherever it is used.
void RegionReader::expect_known(const Node& expression, const Place& place) const {
  visit(expression, [&](const Node& part) {
    if (part.kind() != CXCursor_DeclRefExpr) return;
    const Node variable = part.referenced();
    const std::string key = variable.key();
    const bool known = reassigned_.count(key) == 0 || place.scope.values.count(key) != 0;
    const bool is_variable =
        variable.kind() == CXCursor_VarDecl || variable.kind() == CXCursor_ParmDecl;
    if (is_variable && variable.has_integer_type() && !known)
      throw error_at(expression, "'" + variable.name() + "' changes, and an address depends on it",
                     "write the element where it is used");
  });
}

// A lambda that copies variables gets their values where it is made: they may not change later.
void RegionReader::expect_captures_hold(const Node& lambda, const Place& place) const {
  const std::string text = lambda.source();
  const std::size_t open = text.find('['), close = text.find(']', open);
  if (open == std::string::npos || close == std::string::npos) return;
  static const std::regex by_reference("\\s*(&\\s*\\w*|this)?\\s*(,\\s*(&\\s*\\w+|this)\\s*)*");
  if (std::regex_match(text.substr(open + 1, close - open - 1), by_reference)) return;
  visit(lambda, [&](const Node& part) {
    if (part.kind() != CXCursor_DeclRefExpr) return;
    const std::string key = part.referenced().key();
    const bool container = is_record(part.type()) && written_.count(key) != 0;
    if ((reassigned_.count(key) != 0 && place.scope.values.count(key) == 0) || container)
      throw error_at(lambda, "'" + lambda.name() + "' copies '" + part.name() + "', which changes",
                     "capture by reference: [&]");
  });
}

// Pointers and references are other names.
bool RegionReader::name_other(const Node& variable, Place& place) {
  if (is_lambda(variable)) {
    expect_captures_hold(variable, place);
    no_code("'" + variable.name() + "' is a function");
    return true;
  }
  const auto value = pointed_at(variable);
  if (!value) return false;
  expect_known(*value, place);
  place.scope.names = with(place.scope.names, variable.key(), {*value, place.scope.names});
  no_code("'" + variable.name() + "' is another name of data");
  return true;
}

std::optional<std::vector<Term>> RegionReader::terms_of_sum(const std::vector<Bound>& parts,
                                                            bool whole_sums) const {
  std::vector<Term> all;
  for (const Bound& part : parts) {
    const auto terms = terms_of(part, {written_, reassigned_, part.names, whole_sums});
    if (!terms) return std::nullopt;
    all.insert(all.end(), terms->begin(), terms->end());
  }
  return all;
}

// One value per dimension of the array.
std::vector<isl::pw_aff> RegionReader::subscripts(const Node& node, const Element& element,
                                                  const Place& place) {
  const std::string key = element.array.key;
  const bool flat = element.subscripts.size() == 1;
  if (flat && looking_for_shapes_) {
    for (const bool whole : {false, true}) {
      auto& all = whole ? whole_sums_ : sums_;
      auto& sums = all.try_emplace(key, std::vector<std::vector<Term>>()).first->second;
      const auto sum = terms_of_sum(element.subscripts.front(), whole);
      if (!sum) sums.reset();
      if (sums) sums->push_back(*sum);
    }
    return {constant(0, place.scope)};
  }
  const auto shape = shapes_.find(key);
  if (flat && shape != shapes_.end()) return flat_subscript(node, element, shape->second, place);
  std::vector<isl::pw_aff> values;
  for (const std::vector<Bound>& parts : element.subscripts) {
    isl::pw_aff sum = constant(0, place.scope);
    for (const Bound& part : parts)
      sum = isl::manage(isl_pw_aff_add(sum.release(), affine(part, place.scope).release()));
    values.push_back(sum);
  }
  return values;
}

// Sizes at which rows would overlap are no sizes of the program. Strides that are constants, as in
// x[2 * i + j], may be chance: where they are no rows, the array has one dimension after all.
std::vector<isl::pw_aff> RegionReader::flat_subscript(const Node& node, const Element& element,
                                                      const Strides& shape, const Place& place) {
  const std::vector<Bound>& parts = element.subscripts.front();
  const auto terms = terms_of_sum(parts, has_sums(shape));
  CutSubscript found = cut(node, terms.value_or(std::vector<Term>()), shape, place.scope);
  if (found.outside.is_empty()) return found.parts;
  const bool by_chance =
      std::all_of(shape.begin(), shape.end(), [](const Stride& s) { return s.lengths.empty(); });
  if (by_chance) {
    lost_shape_ = true;
    shapes_.erase(element.array.key);
    return subscripts(node, element, place);
  }
  const isl::set all = isl::manage(isl_set_universe(isl_set_get_space(found.outside.get())));
  program_.valid = (program_.valid ? *program_.valid : all).subtract(found.outside);
  program_.invalid = "rows of '" + element.array.name + "' overlap";
  return found.parts;
}

program::Access RegionReader::element(const Node& node, const Place& place) {
  const Element element = element_of(node, place.scope.names);
  if (is_record(node.type()) && !is_number(node.type()))
    throw error_at(node, "'" + node.text() + "' is a whole structure or container",
                   "write its elements and members one by one");
  if (element.points_inside)
    throw error_at(node, "'" + node.text() + "' is an address, not an element",
                   "write elements as A[i][j]");
  const std::vector<isl::pw_aff> values = subscripts(node, element, place);
  isl_map* elements = isl_map_from_domain(place.scope.domain.copy());
  for (const isl::pw_aff& value : values)
    elements = isl_map_flat_range_product(elements, isl_map_from_pw_aff(value.copy()));
  if (node.kind() == CXCursor_CallExpr)
    no_code("'" + node.text() + "' is an element of a container");
  const std::string name = array_name(element, static_cast<int>(values.size()), node);
  elements = isl_map_set_tuple_name(elements, isl_dim_out, name.c_str());
  return {name, node.text(), isl::manage(elements), false, {node.span()}};
}

}  // namespace redblue::frontend::c
