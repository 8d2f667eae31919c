#include "frontend/c/region.hpp"

#include <isl/aff.h>
#include <isl/map.h>
#include <isl/set.h>

#include <algorithm>
#include <functional>

namespace redblue::frontend::c {

using program::Statement;

void visit(const Node& node, const std::function<void(const Node&)>& f) {
  f(node);
  for (const Node& child : node.children()) visit(child, f);
}

std::set<std::string> assigned_below(const Node& node) {
  std::set<std::string> keys;
  visit(node, [&keys](const Node& part) {
    if (part.kind() == CXCursor_VarDecl) keys.insert(part.key());
    if (!is_assignment(part) && !is_increment(part)) return;
    Node target = stripped(part.children().at(0));
    while (target.kind() == CXCursor_ArraySubscriptExpr) target = stripped(target.children().at(0));
    if (target.kind() == CXCursor_DeclRefExpr) keys.insert(target.referenced().key());
  });
  return keys;
}

bool is_early_return(const Node& node) {
  if (node.kind() != CXCursor_IfStmt || node.children().size() != 2) return false;
  Node body = node.children().at(1);
  if (body.kind() == CXCursor_CompoundStmt && body.children().size() == 1)
    body = body.children().front();
  if (body.kind() != CXCursor_ReturnStmt) return false;
  bool names_something = false;
  visit(body, [&](const Node& part) {
    names_something = names_something || part.kind() == CXCursor_DeclRefExpr;
  });
  return !names_something;
}

namespace {

// The variable an assignment, an increment or the use of its address may change.
std::optional<Node> changed_by(const Node& node) {
  const bool changes =
      is_assignment(node) || is_increment(node) ||
      (node.kind() == CXCursor_UnaryOperator && node.unary_operator() == CXUnaryOperator_AddrOf);
  if (!changes) return std::nullopt;
  const Node target = stripped(node.children().at(0));
  if (target.kind() != CXCursor_DeclRefExpr) return std::nullopt;
  return target.referenced();
}

isl::pw_aff with_dimension(const isl::pw_aff& value) {
  return isl::manage(isl_pw_aff_add_dims(value.copy(), isl_dim_in, 1));
}

// The iterations of a loop before its test first fails. `all`: { [.., q] : q in the counter's
// range }, `holds`: where the test holds.
isl::set until_first_failure(const isl::set& all, const isl::set& holds) {
  const isl::set runs = all.intersect(holds);
  const isl::set fails = all.subtract(holds);
  const unsigned depth = static_cast<unsigned>(isl_set_dim(all.get(), isl_dim_set));
  isl_map* later = isl_map_universe(isl_space_map_from_set(isl_set_get_space(all.get())));
  for (unsigned d = 0; d + 1 < depth; ++d)
    later = isl_map_equate(later, isl_dim_in, d, isl_dim_out, d);
  later = isl_map_order_lt(later, isl_dim_in, depth - 1, isl_dim_out, depth - 1);
  const isl::set after = isl::manage(isl_set_apply(fails.copy(), later));
  return runs.is_disjoint(after) ? runs : runs.subtract(after);
}

// Names in loops, conditions and subscripts, sorted.
std::vector<std::string> parameters_of(const program::Program& program) {
  std::set<std::string> names;
  const auto add = [&names](const isl::set& set) {
    for (int p = 0; p < static_cast<int>(isl_set_dim(set.get(), isl_dim_param)); ++p)
      names.insert(isl_set_get_dim_name(set.get(), isl_dim_param, static_cast<unsigned>(p)));
  };
  for (const Statement& s : program.statements) {
    add(s.domain);
    for (const auto* accesses : {&s.reads, &s.writes}) {
      for (const program::Access& access : *accesses) add(access.elements.range());
    }
  }
  return {names.begin(), names.end()};
}

// Without the parts in which the last counter grows for ever: `i != N` from 0 where N < 0. No C
// program gets there (the counter would overflow), so the sizes are others.
isl::set ending(const isl::set& iterations) {
  const unsigned last = static_cast<unsigned>(isl_set_dim(iterations.get(), isl_dim_set)) - 1;
  isl::set result = iterations.subtract(iterations);
  isl_basic_set_list* parts = isl_set_get_basic_set_list(iterations.get());
  for (int p = 0; p < static_cast<int>(isl_basic_set_list_n_basic_set(parts)); ++p) {
    const isl::set part =
        isl::manage(isl_set_from_basic_set(isl_basic_set_list_get_basic_set(parts, p)));
    if (isl_set_dim_has_upper_bound(part.get(), isl_dim_set, last) == isl_bool_true)
      result = result.unite(part);
  }
  isl_basic_set_list_free(parts);
  return result;
}

// Gives all schedules the same length, so that their times compare.
void pad_schedules(program::Program& program) {
  unsigned longest = 0;
  for (const Statement& s : program.statements) {
    longest = std::max(longest, static_cast<unsigned>(isl_map_dim(s.schedule.get(), isl_dim_out)));
  }
  for (Statement& s : program.statements) {
    const unsigned length = static_cast<unsigned>(isl_map_dim(s.schedule.get(), isl_dim_out));
    isl_map* padded = isl_map_add_dims(s.schedule.release(), isl_dim_out, longest - length);
    for (unsigned d = length; d < longest; ++d) padded = isl_map_fix_si(padded, isl_dim_out, d, 0);
    s.schedule = isl::manage(padded);
  }
}

}  // namespace

RegionReader::RegionReader(const std::vector<Node>& statements, std::set<std::string> changing)
    : statements_(statements), written_(std::move(changing)) {}

program::Program RegionReader::read() {
  for (const Node& statement : statements_) {
    written_.merge(assigned_below(statement));
    visit(statement, [this](const Node& part) {
      if (part.kind() == CXCursor_VarDecl) declared_.insert(part.key());
      const auto variable = changed_by(part);
      if (variable) reassigned_.insert(variable->key());
    });
  }
  Place place = outside_loops();
  std::size_t first = 0;
  for (; first < statements_.size() && is_early_return(statements_[first]); ++first) {
    const Node test = statements_[first].children().at(0);
    if (!is_integer_control(test, place.scope)) break;
    place.scope.domain = place.scope.domain.subtract(condition(test, place.scope));
  }
  for (; first < statements_.size(); ++first) walk_next(statements_[first], place);
  pad_schedules(program_);
  program_.parameters = parameters_of(program_);
  return std::move(program_);
}

std::vector<program::Access> RegionReader::read_value(const Node& expression) {
  std::vector<program::Access> reads;
  read_expression(expression, outside_loops(), false, reads);
  return reads;
}

RegionReader::Place RegionReader::outside_loops() const {
  isl_space* space = isl_space_set_alloc(program::context().get(), 0, 0);
  return {{isl::manage(isl_set_universe(space)), {}, &written_}, {}, {}, {}};
}

// `place` is that of the statement and becomes that of the one behind it.
void RegionReader::walk_next(const Node& node, Place& place) {
  if (node.kind() == CXCursor_DeclStmt) {
    for (const Node& variable : node.children()) {
      if (!name_integer(variable, place)) add_declaration(variable, place);
    }
  } else {
    walk(node, place);
  }
}

// int k = N - 1 - i; gives k a value where k is not assigned again.
bool RegionReader::name_integer(const Node& variable, Place& place) const {
  if (variable.kind() != CXCursor_VarDecl || !variable.has_integer_type() ||
      reassigned_.count(variable.key()) != 0)
    return false;
  const std::vector<Node> parts = variable.children();
  if (parts.empty() || !is_integer_control(parts.back(), place.scope)) return false;
  try {
    place.scope.values[variable.key()] = affine(parts.back(), place.scope);
  } catch (const Error&) {
    return false;  // an assignment like those of other scalars
  }
  place.variables.push_back(variable);
  return true;
}

void RegionReader::walk(const Node& node, const Place& place) {
  switch (node.kind()) {
    case CXCursor_CompoundStmt: {
      Place inside = place;
      for (const Node& child : node.children()) walk_next(child, inside);
      return;
    }
    case CXCursor_ForStmt:
      return walk_loop(node, place);
    case CXCursor_IfStmt:
      return walk_if(node, place);
    case CXCursor_NullStmt:
      return;
    case CXCursor_WhileStmt:
    case CXCursor_DoStmt:
      throw error_at(node, "a while loop has no affine trip count", "write it as a for loop");
    default:
      break;
  }
  const Node expression = stripped(node);
  if (is_assignment(expression) || is_increment(expression))
    return add_assignment(expression, place);
  if (expression.kind() == CXCursor_CallExpr) {
    throw error_at(node, "a call of '" + expression.name() + "' as a statement has unknown effects",
                   "only assignments, for and if stand in a region");
  }
  throw error_at(node, "'" + node.text().substr(0, 40) + "' is no assignment, for or if",
                 "only these stand in a region");
}

RegionReader::Loop RegionReader::loop_parts(const Node& node) const {
  const std::vector<Node> parts = node.children();
  const auto unsupported = [&node](const std::string& what) {
    return error_at(node, "this for loop has " + what, "write for (i = low; i < high; i += step)");
  };
  if (parts.size() != 4) throw unsupported("no initial value, test or step");
  Loop loop{parts[0], parts[0], 0, parts[1], parts[3]};
  if (parts[0].kind() == CXCursor_DeclStmt) {
    const std::vector<Node> declared = parts[0].children();
    if (declared.size() != 1 || declared[0].children().empty())
      throw unsupported("no single variable");
    loop.variable = declared[0];
    loop.start = declared[0].children().back();
  } else if (is_assignment(parts[0]) && parts[0].kind() == CXCursor_BinaryOperator) {
    const Node target = stripped(parts[0].children().at(0));
    if (target.kind() != CXCursor_DeclRefExpr) throw unsupported("no plain variable");
    loop.variable = target.referenced();
    loop.start = parts[0].children().at(1);
  } else {
    throw unsupported("no initial value redblue can read");
  }
  const Node step = stripped(parts[2]);
  const auto steps_variable = [&loop](const Node& n) {
    const Node name = stripped(n);
    return name.kind() == CXCursor_DeclRefExpr && name.referenced().key() == loop.variable.key();
  };
  if (is_increment(step) && steps_variable(step.children().at(0))) {
    const CXUnaryOperatorKind kind = step.unary_operator();
    loop.step = kind == CXUnaryOperator_PostInc || kind == CXUnaryOperator_PreInc ? 1 : -1;
  } else if (is_assignment(step) && steps_variable(step.children().at(0))) {
    const Node value = stripped(step.children().at(1));
    if (step.kind() == CXCursor_CompoundAssignOperator) {
      const bool adds = step.binary_operator() == CXBinaryOperator_AddAssign;
      const bool subtracts = step.binary_operator() == CXBinaryOperator_SubAssign;
      if (adds || subtracts) loop.step = value.constant().value_or(0) * (adds ? 1 : -1);
    } else if (value.kind() == CXCursor_BinaryOperator && value.children().size() == 2) {
      const Node left = value.children()[0];
      const Node right = value.children()[1];
      const bool adds = value.binary_operator() == CXBinaryOperator_Add;
      const bool subtracts = value.binary_operator() == CXBinaryOperator_Sub;
      if ((adds || subtracts) && steps_variable(left)) {
        loop.step = right.constant().value_or(0) * (adds ? 1 : -1);
      } else if (adds && steps_variable(right)) {
        loop.step = left.constant().value_or(0);
      }
    }
  }
  if (loop.step == 0) throw unsupported("a step that is no constant other than 0");
  if (assigned_below(loop.body).count(loop.variable.key()) != 0) {
    throw unsupported("a body that assigns the loop variable '" + loop.variable.name() + "'");
  }
  return loop;
}

void RegionReader::walk_loop(const Node& node, const Place& outer) {
  const Loop loop = loop_parts(node);
  Place inner = outer;
  const isl::pw_aff start = with_dimension(affine(loop.start, outer.scope));
  inner.scope.domain = isl::manage(isl_set_add_dims(outer.scope.domain.copy(), isl_dim_set, 1));
  for (auto& [key, value] : inner.scope.values) value = with_dimension(value);
  const unsigned depth = static_cast<unsigned>(isl_set_dim(inner.scope.domain.get(), isl_dim_set));
  isl_local_space* local = isl_local_space_from_space(isl_set_get_space(inner.scope.domain.get()));
  isl::pw_aff value = isl::manage(isl_pw_aff_var_on_domain(local, isl_dim_set, depth - 1));
  isl::set range;
  if (loop.step == 1) {
    range = isl::manage(isl_pw_aff_ge_set(value.copy(), start.copy()));
  } else if (loop.step == -1 && isl_pw_aff_involves_dims(start.get(), isl_dim_in, 0, depth)) {
    // From -start on: a subscript of the variable alone stays one of this dimension alone.
    value = isl::manage(isl_pw_aff_neg(value.release()));
    range = isl::manage(isl_pw_aff_le_set(value.copy(), start.copy()));
  } else {
    range = isl::manage(isl_set_lower_bound_si(
        isl_set_universe(isl_set_get_space(inner.scope.domain.get())), isl_dim_set, depth - 1, 0));
    const isl::val step(program::context(), static_cast<long>(loop.step));
    value = isl::manage(
        isl_pw_aff_add(start.copy(), isl_pw_aff_scale_val(value.release(), step.copy())));
  }
  inner.scope.values[loop.variable.key()] = value;
  const isl::set all = inner.scope.domain.intersect(range);
  const isl::set iterations = until_first_failure(all, condition(loop.test, inner.scope));
  inner.scope.domain = ending(iterations);
  if (inner.scope.domain.is_empty() && !iterations.is_empty())
    throw error_at(node, "this for loop does not end", "write for (i = low; i < high; i += step)");
  std::string name = loop.variable.name();
  while (std::count(inner.iterators.begin(), inner.iterators.end(), name) != 0) name += "_";
  inner.iterators.push_back(name);
  inner.order.push_back(position_++);
  inner.variables.push_back(loop.variable);
  walk(loop.body, inner);
}

void RegionReader::walk_if(const Node& node, const Place& place) {
  const std::vector<Node> parts = node.children();
  if (!is_integer_control(parts.at(0), place.scope)) {
    throw error_at(node, "the condition '" + parts[0].text() + "' depends on data",
                   "only affine conditions on loop variables and parameters can be read");
  }
  const isl::set holds = condition(parts[0], place.scope);
  Place branch = place;
  branch.scope.domain = place.scope.domain.intersect(holds);
  walk(parts.at(1), branch);
  if (parts.size() < 3) return;
  branch.scope.domain = place.scope.domain.subtract(holds);
  walk(parts[2], branch);
}

}  // namespace redblue::frontend::c
