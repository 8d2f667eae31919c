// SPDX-License-Identifier: BSD-3-Clause
#include "frontend/c/region.hpp"

#include <isl/aff.h>
#include <isl/map.h>
#include <isl/set.h>

#include <algorithm>
#include <functional>

namespace redblue::frontend::c {

using program::Statement;

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

// Leaves out the instances at sizes that are not valid.
void restrict_sizes(Statement& statement, const isl::set& valid) {
  const auto restricted = [&valid](const isl::map& map) {
    return isl::manage(isl_map_intersect_params(map.copy(), valid.copy()));
  };
  statement.domain = isl::manage(isl_set_intersect_params(statement.domain.copy(), valid.copy()));
  statement.schedule = restricted(statement.schedule);
  for (auto* accesses : {&statement.reads, &statement.writes}) {
    for (program::Access& access : *accesses) access.elements = restricted(access.elements);
  }
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

// Throws Error where a function that is called calls itself, perhaps through others.
void RegionReader::expect_no_recursion(const Node& node, std::vector<std::string>& around) const {
  visit(node, [&](const Node& part) {
    const auto body = part.kind() == CXCursor_CallExpr ? body_of(part) : std::nullopt;
    if (!body) return;
    const std::string key = definition_of(part).key();
    constexpr std::size_t deepest = 64;
    if (std::count(around.begin(), around.end(), key) != 0 || around.size() > deepest)
      throw error_at(part, "'" + part.name() + "' calls itself", "write recursion as loops");
    around.push_back(key);
    expect_no_recursion(*body, around);
    around.pop_back();
  });
}

program::Program RegionReader::read() {
  std::vector<std::string> around;
  if (!statements_.empty())
    around.push_back(Node{clang_getCursorSemanticParent(statements_.front().cursor)}.key());
  for (const Node& statement : statements_) expect_no_recursion(statement, around);
  for (const Node& statement : statements_) note_names(statement);
  find_shapes();
  do {
    read_once();
  } while (lost_shape_);
  if (program_.valid) {
    for (Statement& s : program_.statements) restrict_sizes(s, *program_.valid);
    std::erase_if(program_.statements, [](const Statement& s) { return s.domain.is_empty(); });
    if (program_.statements.empty())
      throw Error(statements_.front().file(), program_.invalid + " whatever the sizes",
                  "write arrays as A[i][j]");
  }
  pad_schedules(program_);
  program_.parameters = parameters_of(program_);
  return std::move(program_);
}

// Which variables are declared, assigned, and changed after their declaration, in functions that
// are called, too.
void RegionReader::note_names(const Node& node) {
  written_.merge(assigned_below(node));
  visit(node, [this](const Node& part) {
    if (part.kind() == CXCursor_VarDecl) declared_.insert(part.key());
    const auto variable = changed_by(part);
    if (variable) reassigned_.insert(variable->key());
    add_referenced(part, reassigned_);
    if (part.kind() != CXCursor_CallExpr || depends_on_arguments_alone(part)) return;
    const auto body = body_of(part);
    if (body && called_.insert(definition_of(part).key()).second) note_names(*body);
  });
}

// The shapes of arrays of one dimension whose subscripts have several strides.
void RegionReader::find_shapes() {
  looking_for_shapes_ = true;
  read_once();
  looking_for_shapes_ = false;
  for (const auto& [key, sums] : sums_) {
    if (!sums) continue;
    const auto& whole = whole_sums_.at(key);
    const auto by_sums = whole ? shape_of(*whole) : std::nullopt;
    const auto shape = by_sums && has_sums(*by_sums) ? by_sums : shape_of(*sums);
    if (shape && shape->size() > 1) shapes_.emplace(key, *shape);
  }
}

// Schedules are written as C from the statements' text, where that says all.
void RegionReader::no_code(const std::string& why) {
  if (program_.region.no_code.empty()) program_.region.no_code = why;
}

void RegionReader::read_once() {
  program_ = {};
  array_names_.clear();
  declarations_.clear();
  position_ = 0;
  lost_shape_ = false;
  started_.clear();
  condition_.reset();
  Place place = outside_loops();
  std::size_t first = 0;
  for (; first < statements_.size() && is_early_return(statements_[first]); ++first) {
    const Node test = statements_[first].children().at(0);
    if (!is_integer_control(test, place.scope)) break;
    place.scope.domain = place.scope.domain.subtract(condition(test, place.scope));
  }
  walk_all(statements_, first, place);
  add_started();
}

std::vector<program::Access> RegionReader::read_value(const Node& expression) {
  std::vector<program::Access> reads;
  read_expression(expression, outside_loops(), false, reads);
  return reads;
}

RegionReader::Place RegionReader::outside_loops() {
  isl_space* space = isl_space_set_alloc(program::context().get(), 0, 0);
  return {
      {isl::manage(isl_set_universe(space)), {}, &written_, {}, {}, &program_.assumed}, {}, {}, {}};
}

// The statements from the first on, one behind the other.
void RegionReader::walk_all(const std::vector<Node>& nodes, std::size_t first, Place& place) {
  for (std::size_t n = first; n < nodes.size(); ++n) {
    const auto loop = while_loop(nodes, n);
    if (loop) {
      walk_loop(nodes[++n], *loop, place);
    } else {
      walk_next(nodes[n], place);
    }
  }
}

// `place` is that of the statement and becomes that of the one behind it.
void RegionReader::walk_next(const Node& node, Place& place) {
  if (node.kind() == CXCursor_DeclStmt) {
    for (const Node& variable : node.children()) {
      if (!name_other(variable, place) && !start_elements(variable, place) &&
          !name_integer(variable, place))
        add_declaration(variable, place);
    }
  } else {
    walk(node, place);
  }
}

// int k = N - 1 - i; gives k a value where k is not assigned again.
bool RegionReader::name_integer(const Node& variable, Place& place) {
  const auto start = initial_value(variable);
  if (!start || !variable.has_integer_type() || reassigned_.count(variable.key()) != 0 ||
      !is_integer_control(*start, place.scope))
    return false;
  try {
    place.scope.values[variable.key()] = affine(*start, place.scope);
  } catch (const Error&) {
    if (!terms_of(*start, {written_, reassigned_, place.scope.names}))
      return false;               // an assignment like those of other scalars
    expect_known(*start, place);  // i * n, part of a subscript
    place.scope.names = with(place.scope.names, variable.key(), {*start, place.scope.names});
    no_code("'" + variable.name() + "' is part of subscripts");
    return true;
  }
  place.variables.push_back(variable);
  return true;
}

void RegionReader::walk(const Node& node, const Place& place) {
  switch (node.kind()) {
    case CXCursor_CompoundStmt: {
      Place inside = place;
      return walk_all(node.children(), 0, inside);
    }
    case CXCursor_ForStmt: {
      Place around = place;
      name_bounds(node, around);
      return walk_loop(node, for_loop(node), around);
    }
    case CXCursor_CXXForRangeStmt:
      return walk_range_for(node, place);
    case CXCursor_IfStmt:
      return walk_if(node, place);
    case CXCursor_NullStmt:
      return;
    case CXCursor_WhileStmt:
    case CXCursor_DoStmt:
      throw error_at(node, "this while loop has no affine trip count",
                     "write it as a for loop, or set its counter in the statement before it and "
                     "step it in its last statement");
    default:
      break;
  }
  // A loop with a hint to the compiler: _Pragma("GCC ivdep") for (..) ..
  const std::vector<Node> parts = node.children();
  if (node.kind() == CXCursor_UnexposedStmt && parts.size() == 1) return walk(parts[0], place);
  if (is_discarded(node)) return;
  const Node expression = stripped(node);
  if (is_assignment(expression) || is_increment(expression))
    return add_assignment(expression, place);
  if (expression.kind() == CXCursor_CallExpr) return walk_call(expression, place);
  throw error_at(node, "'" + node.text().substr(0, 40) + "' is no assignment, for or if",
                 "only these stand in a region");
}

void RegionReader::walk_loop(const Node& node, const Loop& loop, const Place& outer) {
  condition_.reset();  // read once, before the loop
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
  inner.variables.push_back(loop.variable);
  walk_iterations(loop.variable.name(), loop.body, inner);
}

// The body of a loop whose counter is the last dimension of `inner` already.
void RegionReader::walk_iterations(std::string name, const std::vector<Node>& body, Place& inner) {
  while (std::count(inner.iterators.begin(), inner.iterators.end(), name) != 0) name += "_";
  inner.iterators.push_back(name);
  inner.order.push_back(position_++);
  walk_all(body, 0, inner);
}

void RegionReader::walk_if(const Node& node, const Place& place) {
  const std::vector<Node> parts = node.children();
  if (!is_integer_control(parts.at(0), place.scope)) return walk_branch_on_data(node, place);
  const isl::set holds = condition(parts[0], place.scope);
  Place branch = place;
  branch.scope.domain = place.scope.domain.intersect(holds);
  walk(parts.at(1), branch);
  if (parts.size() < 3) return;
  branch.scope.domain = place.scope.domain.subtract(holds);
  walk(parts[2], branch);
}

namespace {

// The only statement of a branch, without braces.
Node only_statement(Node branch) {
  while (branch.kind() == CXCursor_CompoundStmt && branch.children().size() == 1)
    branch = branch.children().front();
  return branch;
}

bool leaves_loop(const Node& statement) {
  const CXCursorKind kind = statement.kind();
  return kind == CXCursor_BreakStmt || kind == CXCursor_ContinueStmt || kind == CXCursor_ReturnStmt;
}

}  // namespace

// if (data) A[i] = x; else A[i] = y; is a choice of values. Of other branches one way is assumed:
// that the statements run, and that a loop is not left.
void RegionReader::walk_branch_on_data(const Node& node, const Place& place) {
  const std::vector<Node> parts = node.children();
  const std::string line = std::to_string(node.line());
  no_code("the branch at line " + line + " depends on data");
  const Node yes = only_statement(parts.at(1));
  if (parts.size() == 2 && leaves_loop(yes))
    return assume("the branch at line " + line + " is never taken");
  if (parts.size() == 3 && is_assignment(stripped(yes))) {
    const Node no = only_statement(parts[2]);
    if (is_assignment(stripped(no)) && add_choice(parts[0], stripped(yes), stripped(no), place))
      return;
  }
  assume("the branch at line " + line + " is taken");
  condition_ = parts[0];
  walk(parts[1], place);
  condition_.reset();
}

void RegionReader::assume(const std::string& what) {
  add_once(program_.assumed, what);
}

}  // namespace redblue::frontend::c
