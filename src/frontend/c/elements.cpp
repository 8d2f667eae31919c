// The part of RegionReader that says which element an expression is: pointers to rows and arguments
// of calls are looked through, and flat arrays get their dimensions back.
#include <isl/map.h>
#include <isl/set.h>

#include <algorithm>

#include "frontend/c/region.hpp"

namespace redblue::frontend::c {

namespace {

bool is_operation(const Node& node, CXBinaryOperatorKind kind) {
  return node.kind() == CXCursor_BinaryOperator && node.binary_operator() == kind;
}

bool is_prefix(const Node& node, CXUnaryOperatorKind kind) {
  return node.kind() == CXCursor_UnaryOperator && node.unary_operator() == kind;
}

}  // namespace

// What a pointer is set to once and for all: its value where it is declared, or the argument of a
// call that is read in place.
std::optional<Node> RegionReader::pointed_at(const Node& pointer, const Place& place) {
  const auto argument = place.arguments.find(pointer.key());
  if (argument != place.arguments.end()) return argument->second;
  const bool fixed = pointer.type().kind == CXType_Pointer && declared_.count(pointer.key()) != 0 &&
                     reassigned_.count(pointer.key()) == 0;
  return fixed ? initial_value(pointer) : std::nullopt;
}

// p[j] where p is A + i, A[i], &A[i][k] or the like.
RegionReader::Element RegionReader::element_of(const Node& raw, const Place& place) {
  const Node node = stripped(raw);
  if (node.kind() == CXCursor_ArraySubscriptExpr) {
    const std::vector<Node> parts = node.children();
    Element element = element_of(parts.at(0), place);
    const bool points = element.points_inside && !element.subscripts.empty();
    if (points) {
      element.subscripts.back().push_back(parts.at(1));
    } else {
      element.subscripts.push_back({parts.at(1)});
    }
    element.points_inside = false;
    return element;
  }
  if (node.kind() == CXCursor_DeclRefExpr) {
    const Node declaration = node.referenced();
    const auto value = pointed_at(declaration, place);
    if (!value) return {{declaration.key(), declaration.name()}, declaration, {}, false};
    no_code("'" + declaration.name() + "' points into another array");
    return element_of(*value, place);
  }
  if (const auto field = member(node)) return {*field, std::nullopt, {}, false};
  if (is_prefix(node, CXUnaryOperator_AddrOf)) {
    Element element = element_of(node.children().at(0), place);
    element.points_inside = true;
    return element;
  }
  if (is_prefix(node, CXUnaryOperator_Deref)) {
    Element element = element_of(node.children().at(0), place);
    if (!element.points_inside) element.subscripts.emplace_back();
    element.points_inside = false;
    return element;
  }
  if (is_operation(node, CXBinaryOperator_Add) && !node.has_integer_type()) {
    const std::vector<Node> parts = node.children();
    const bool first = !stripped(parts.at(0)).has_integer_type();
    Element element = element_of(parts[first ? 0 : 1], place);
    if (!element.points_inside) element.subscripts.emplace_back();
    element.subscripts.back().push_back(parts[first ? 1 : 0]);
    element.points_inside = true;
    return element;
  }
  throw error_at(node, "'" + node.text() + "' is no array element or scalar",
                 "write elements as A[i][j]; structures are not read");
}

std::optional<std::vector<Term>> RegionReader::terms_of_sum(const std::vector<Node>& parts,
                                                            const Place& place) const {
  std::vector<Term> all;
  for (const Node& part : parts) {
    const auto terms = terms_of(part, {written_, reassigned_, place.arguments});
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
    auto& sums = sums_.try_emplace(key, std::vector<std::vector<Term>>()).first->second;
    const auto sum = terms_of_sum(element.subscripts.front(), place);
    if (!sum) sums.reset();
    if (sums) sums->push_back(*sum);
    return {constant(0, place.scope)};
  }
  const auto shape = shapes_.find(key);
  if (flat && shape != shapes_.end()) return flat_subscript(node, element, shape->second, place);
  std::vector<isl::pw_aff> values;
  for (const std::vector<Node>& parts : element.subscripts) {
    isl::pw_aff sum = constant(0, place.scope);
    for (const Node& part : parts)
      sum = isl::manage(isl_pw_aff_add(sum.release(), affine(part, place.scope).release()));
    values.push_back(sum);
  }
  return values;
}

// Sizes at which rows would overlap are no sizes of the program. Strides that are constants, as in
// x[2 * i + j], may be chance: where they are no rows, the array has one dimension after all.
std::vector<isl::pw_aff> RegionReader::flat_subscript(const Node& node, const Element& element,
                                                      const Strides& shape, const Place& place) {
  const std::vector<Node>& parts = element.subscripts.front();
  const auto terms = terms_of_sum(parts, place);
  CutSubscript found = cut(node, terms.value_or(std::vector<Term>()), shape, place.scope);
  if (found.outside.is_empty()) return found.parts;
  const bool by_chance =
      std::all_of(shape.begin(), shape.end(), [](const Stride& s) { return s.parameters.empty(); });
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
  const Element element = element_of(node, place);
  if (element.points_inside)
    throw error_at(node, "'" + node.text() + "' is an address, not an element",
                   "write elements as A[i][j]");
  const std::vector<isl::pw_aff> values = subscripts(node, element, place);
  isl_map* elements = isl_map_from_domain(place.scope.domain.copy());
  for (const isl::pw_aff& value : values)
    elements = isl_map_flat_range_product(elements, isl_map_from_pw_aff(value.copy()));
  const std::string name = array_name(element, static_cast<int>(values.size()), node);
  elements = isl_map_set_tuple_name(elements, isl_dim_out, name.c_str());
  return {name, node.text(), isl::manage(elements), false, {node.span()}};
}

}  // namespace redblue::frontend::c
