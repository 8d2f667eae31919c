// SPDX-License-Identifier: BSD-3-Clause
// The part of RegionReader that turns assignments into statements with their accesses.
#include <isl/aff.h>
#include <isl/map.h>
#include <isl/set.h>

#include <utility>

#include "frontend/c/ast/templates.hpp"
#include "frontend/c/region.hpp"
#include "program/repeated_reads.hpp"

namespace redblue::frontend::c {

using program::Access;
using program::Statement;

namespace {

bool is_plain_assignment(const Node& node) {
  return node.kind() == CXCursor_BinaryOperator;  // callers pass assignments only
}

// Whether the function assigns to something.
bool changes_something(const Node& call) {
  const auto body = body_of(call);
  bool changes = false;
  if (body) {
    visit(*body, [&changes](const Node& part) {
      changes = changes || is_assignment(part) || is_increment(part);
    });
  }
  return changes;
}

// A declaration without its value: "double w", "double tmp[N]".
std::string declared(const Node& variable, const std::string& name) {
  const CXType type = clang_getCursorType(variable.cursor);
  const std::string text = take(clang_getTypeSpelling(clang_getUnqualifiedType(type)));
  const std::size_t extents = std::min(text.find('['), text.size());
  return text.substr(0, extents) + " " + name + text.substr(extents);
}

}  // namespace

std::string RegionReader::array_name(const Element& element, int dimensions, const Node& where) {
  const std::string& key = element.array.key;
  const auto known = array_names_.find(key);
  if (known != array_names_.end()) {
    if (program_.arrays[known->second].dimensions != dimensions) {
      throw error_at(where,
                     "'" + element.array.name + "' is used with different numbers of subscripts");
    }
    return known->second;
  }
  std::string name = element.array.name;
  while (program_.arrays.count(name) != 0) name += "_";
  array_names_[key] = name;
  const bool inside = element.declaration && declared_.count(key) != 0;
  program_.arrays[name] = {dimensions, inside ? declared(*element.declaration, name) : ""};
  if (element.declaration) declarations_.emplace(name, *element.declaration);
  return name;
}

void RegionReader::read_choice(const Node& node, const Place& place, bool conditional,
                               std::vector<Access>& reads) {
  const std::vector<Node> parts = node.children();
  if (is_integer_control(parts.at(0), place.scope)) {
    const isl::set holds = condition(parts[0], place.scope);
    Place branch = place;
    branch.scope.domain = place.scope.domain.intersect(holds);
    read_expression(parts.at(1), branch, conditional, reads);
    branch.scope.domain = place.scope.domain.subtract(holds);
    read_expression(parts.at(2), branch, conditional, reads);
    return;
  }
  read_expression(parts[0], place, conditional, reads);
  read_expression(parts.at(1), place, true, reads);
  read_expression(parts.at(2), place, true, reads);
}

void RegionReader::read_call(const Node& node, const Place& place, bool conditional,
                             std::vector<Access>& reads) {
  const std::string name = node.name();
  if (const auto access = container_access(node)) {
    reads.push_back(element(node, place));
    reads.back().conditional = conditional;
    return;
  }
  if (size_of(node, place.scope.names)) return;
  const bool alone = depends_on_arguments_alone(node);
  const auto value = alone || changes_something(node) ? std::nullopt : returned_by(node);
  const std::size_t before = reads.size();
  if (value) {
    no_code("a call at line " + std::to_string(node.line()) + " is read as what it returns");
    Place inside = place;
    inside.scope = inside_call(node, place.scope);
    read_expression(*value, inside, conditional, reads);
    if (reads.size() == before + 1) reads.back().text = node.text();  // M(i, j)
    return;
  }
  if (!alone) {
    throw error_at(node, "the function '" + name + "' may have effects",
                   "call math functions, and functions in this file that get values only");
  }
  for (const Node& argument : call_of(node).arguments)
    read_expression(argument, place, conditional, reads);
}

void RegionReader::read_expression(const Node& raw, const Place& place, bool conditional,
                                   std::vector<Access>& reads) {
  const Node node = stripped(raw);
  switch (node.kind()) {
    case CXCursor_IntegerLiteral:
    case CXCursor_FloatingLiteral:
    case CXCursor_CharacterLiteral:
    case CXCursor_UnaryExpr:  // sizeof
    case CXCursor_CXXBoolLiteralExpr:
      return;
    case CXCursor_DeclRefExpr: {
      const std::string key = node.referenced().key();
      if (is_unknown_argument(node)) return;
      const auto other = bound_to(node.referenced(), place.scope.names);
      if (other && other->value.kind() == CXCursor_CXXForRangeStmt) break;
      if (other) {
        Place written = place;
        written.scope.names = other->names;
        return read_expression(other->value, written, conditional, reads);
      }
      const bool control = place.scope.values.count(key) != 0;
      // A scalar nobody writes is a constant of the program, kept in a register.
      if (control || written_.count(key) == 0) return;
      break;
    }
    case CXCursor_MemberRefExpr: {
      if (member(node, place.scope.names) && written_.count(node.referenced().key()) == 0) return;
      break;
    }
    case CXCursor_ArraySubscriptExpr:
      break;
    case CXCursor_UnaryOperator:
      if (node.unary_operator() == CXUnaryOperator_Deref) break;
      if (is_increment(node) || node.unary_operator() == CXUnaryOperator_AddrOf) {
        throw error_at(node, "'" + node.text() + "' inside an expression changes or points to data",
                       "write elements as A[i][j] and changes as statements");
      }
      return read_expression(node.children().at(0), place, conditional, reads);
    case CXCursor_BinaryOperator: {
      if (is_assignment(node) || node.binary_operator() == CXBinaryOperator_Comma) {
        throw error_at(node, "an assignment inside an expression",
                       "write one assignment per statement");
      }
      const bool may_stop = node.binary_operator() == CXBinaryOperator_LAnd ||
                            node.binary_operator() == CXBinaryOperator_LOr;
      read_expression(node.children().at(0), place, conditional, reads);
      return read_expression(node.children().at(1), place, conditional || may_stop, reads);
    }
    case CXCursor_ConditionalOperator:
      return read_choice(node, place, conditional, reads);
    case CXCursor_CallExpr:
      return read_call(node, place, conditional, reads);
    default:
      throw error_at(node, "'" + node.text() + "' is no expression redblue reads",
                     "array elements, scalars, arithmetic and pure math functions can be used");
  }
  reads.push_back(element(node, place));
  reads.back().conditional = conditional;
}

void RegionReader::add_assignment(const Node& node, const Place& place) {
  std::vector<Access> reads;
  const std::vector<Node> sides = node.children();
  const Node target = stripped(sides.at(0));
  std::optional<std::pair<Node, Place>> called;
  if (is_assignment(node)) called = walk_to_value(stripped(sides.at(1)), place);
  const Access write = element(target, place);
  const bool updates = is_increment(node) || !is_plain_assignment(node);
  if (updates) reads.push_back(write);
  if (condition_) read_expression(*std::exchange(condition_, std::nullopt), place, false, reads);
  const Node value = is_increment(node) ? node : stripped(sides.at(1));
  Written written{node.source_of_expression(), static_cast<std::ptrdiff_t>(node.span().begin),
                  node.line()};
  if (is_assignment(value)) {  // a = b = c: the inner one first, then its target is read
    add_assignment(value, place);
    const Node inner = stripped(value.children().at(0));
    reads.push_back(element(inner, place));
    written.source.resize(inner.span().end - node.span().begin);
  } else if (!is_increment(node)) {
    read_expression(called ? called->first : value, called ? called->second : place, false, reads);
  }
  add_statement(std::move(reads), write, place, written);
}

// Both assignments as one that picks a value; nothing is added where their targets differ.
bool RegionReader::add_choice(const Node& condition, const Node& yes, const Node& no,
                              const Place& place) {
  const Access write = element(stripped(yes.children().at(0)), place);
  const Access other = element(stripped(no.children().at(0)), place);
  if (write.array != other.array || !write.elements.is_equal(other.elements)) return false;
  std::vector<Access> reads;
  read_expression(condition, place, false, reads);
  for (const Node& way : {yes, no}) {
    Access old = write;
    old.conditional = true;
    if (!is_plain_assignment(way)) reads.push_back(old);
    read_expression(way.children().at(1), place, true, reads);
  }
  add_statement(
      std::move(reads), write, place,
      {yes.source_of_expression(), static_cast<std::ptrdiff_t>(yes.span().begin), yes.line()});
  return true;
}

void RegionReader::add_declaration(const Node& variable, const Place& place) {
  const auto value = initial_value(variable);
  const bool keeps_value = clang_Cursor_getStorageClass(variable.cursor) == CX_SC_Static;
  if (!value || keeps_value) return;
  const auto called = walk_to_value(stripped(*value), place);
  std::vector<Access> reads;
  read_expression(called ? called->first : *value, called ? called->second : place, false, reads);
  const std::string target = variable.name() + " = ";
  const auto begin =
      static_cast<std::ptrdiff_t>(value->span().begin) - static_cast<std::ptrdiff_t>(target.size());
  add_value(variable, std::move(reads), place,
            {target + value->source_of_expression(), begin, variable.line()});
}

// variable = ..; written.begin is where its name would stand.
void RegionReader::add_value(const Node& variable, std::vector<Access> reads, const Place& place,
                             const Written& written) {
  const std::string name =
      array_name({{variable.key(), variable.name()}, variable, {}, false}, 0, variable);
  isl_map* elements = isl_map_from_domain(place.scope.domain.copy());
  elements = isl_map_set_tuple_name(elements, isl_dim_out, name.c_str());
  const auto first = static_cast<std::size_t>(written.begin);  // wraps around, and back again
  add_statement(std::move(reads),
                {name,
                 variable.name(),
                 isl::manage(elements),
                 false,
                 {{first, first + variable.name().size()}}},
                place, written);
}

void RegionReader::add_statement(std::vector<Access> reads, Access write, const Place& place,
                                 const Written& written) {
  const int position = position_++;
  if (place.scope.domain.is_empty()) return;
  const std::string name = "S" + std::to_string(program_.statements.size());
  const auto named = [&](isl_map* map) {
    map = isl_map_set_tuple_name(map, isl_dim_in, name.c_str());
    for (unsigned d = 0; d < place.iterators.size(); ++d) {
      map = isl_map_set_dim_name(map, isl_dim_in, d, place.iterators[d].c_str());
    }
    return isl::manage(map);
  };
  isl_map* time = isl_map_from_domain(place.scope.domain.copy());
  isl_local_space* local = isl_local_space_from_space(isl_set_get_space(place.scope.domain.get()));
  const auto append = [&time](isl_aff* next) {
    time = isl_map_flat_range_product(time, isl_map_from_aff(next));
  };
  for (unsigned d = 0; d <= place.order.size(); ++d) {
    const int text_place = d < place.order.size() ? place.order[d] : position;
    append(isl_aff_val_on_domain(isl_local_space_copy(local),
                                 isl_val_int_from_si(program::context().get(), text_place)));
    if (d == place.order.size()) break;
    append(isl_aff_var_on_domain(isl_local_space_copy(local), isl_dim_set, d));
  }
  isl_local_space_free(local);
  const isl::map schedule = named(time);
  reads = program::without_repeats(reads);
  const auto finish = [&](Access& access) {
    access.elements = named(access.elements.release());
    for (program::Span& span : access.where) {
      span.begin -= static_cast<std::size_t>(written.begin);
      span.end -= static_cast<std::size_t>(written.begin);
    }
  };
  for (Access& access : reads) finish(access);
  finish(write);
  std::vector<program::Counter> counters;
  for (const Node& variable : place.variables) {
    counters.push_back({variable.name(), place.scope.values.at(variable.key()),
                        spelled_type(variable), declared_.count(variable.key()) == 0});
  }
  program_.statements.push_back({name,
                                 place.iterators,
                                 schedule.domain(),
                                 schedule,
                                 reads,
                                 {write},
                                 written.line,
                                 written.source,
                                 counters});
}

}  // namespace redblue::frontend::c
