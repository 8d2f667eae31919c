// SPDX-License-Identifier: BSD-3-Clause
#include "frontend/c/read_after.hpp"

#include <isl/set.h>

#include <algorithm>
#include <set>

#include "frontend/c/pure_functions.hpp"
#include "frontend/c/region.hpp"
#include "program/live_in.hpp"

namespace redblue::frontend::c {

namespace {

using Keys = std::set<std::string>;  // of declarations

// How many subscripts lead to a number.
std::size_t rank(const Node& node) {
  return levels_of(node.type()).sized.size();
}

bool is_call_of(const Node& node, const Keys& functions) {
  return node.kind() == CXCursor_CallExpr && functions.count(node.name()) != 0;
}

bool is_allocation(const Node& value) {
  return is_call_of(stripped(value), {"malloc", "calloc", "aligned_alloc", "alloca"});
}

// Says nothing about values: sizeof, free.
bool is_about_storage(const Node& node) {
  return node.kind() == CXCursor_UnaryExpr || is_call_of(node, {"free"});
}

void add_names(const Node& node, Keys& names) {
  if (is_about_storage(node)) return;
  if (node.kind() == CXCursor_DeclRefExpr) names.insert(node.referenced().key());
  for (const Node& child : node.children()) add_names(child, names);
}

// Variables whose address the code below `node` uses for more than reading or writing elements.
void add_addresses(const Node& node, Keys& names) {
  if (is_about_storage(node)) return;
  if (node.kind() == CXCursor_UnaryOperator && node.unary_operator() == CXUnaryOperator_AddrOf)
    return add_names(node, names);
  std::vector<Node> inside = node.children();
  if (is_assignment(node) && stripped(inside.at(0)).kind() == CXCursor_DeclRefExpr)
    inside.erase(inside.begin());
  if (node.kind() == CXCursor_ArraySubscriptExpr) {
    std::size_t subscripts = 0;
    Node base = node;
    inside.clear();
    for (; base.kind() == CXCursor_ArraySubscriptExpr; ++subscripts) {
      inside.push_back(base.children().at(1));
      base = stripped(base.children().at(0));
    }
    const bool is_element = base.kind() == CXCursor_DeclRefExpr && rank(base) == subscripts;
    if (!is_element) add_names(base, names);
  }
  const bool cpp = is_cpp(node.file());  // references to scalars do not show where they are made
  if (node.kind() == CXCursor_DeclRefExpr && (rank(node) > 0 || cpp))
    names.insert(node.referenced().key());
  for (const Node& child : inside) add_addresses(child, names);
}

bool calls_something(const Node& node) {
  bool found = false;
  visit(node, [&found](const Node& part) {
    found = found || (part.kind() == CXCursor_CallExpr && !is_pure_function(part.name()) &&
                      !is_about_storage(part));
  });
  return found;
}

// What a stretch of code outside the region does to variables.
struct Effects {
  std::size_t begin = 0;  // where it stands in the file
  bool repeated = false;  // in a loop around the region, so it runs after the region, too
  struct Read {
    isl::set elements;
    std::string text;
  };
  std::map<std::string, std::vector<Read>> reads;
  Keys read_somehow;  // which elements is not known
  std::map<std::string, isl::set> overwritten;
  Keys addresses;
  bool calls = false;  // something that may read through an address it was given
};

class EffectsReader {
 public:
  EffectsReader(const Node& function, const std::vector<Node>& region) : region_(region) {
    collect(function, false);
    for (const auto& [node, repeated] : outside_) changing_.merge(assigned_below(node));
    for (const Node& statement : region) changing_.merge(assigned_below(statement));
  }

  std::vector<Effects> read() const {
    std::vector<Effects> all;
    for (const auto& [node, repeated] : outside_) {
      Effects effects;
      effects.begin = node.span().begin;
      effects.repeated = repeated;
      add_addresses(node, effects.addresses);
      effects.calls = calls_something(node);
      if (repeated) {
        add_names(node, effects.read_somehow);
      } else if (effects.begin > region_.front().span().begin) {
        read_statement(node, effects);
      }
      all.push_back(std::move(effects));
    }
    return all;
  }

 private:
  bool is_region(const Node& node) const {
    return std::find(region_.begin(), region_.end(), node) != region_.end();
  }

  bool holds_region(const Node& node) const {
    const program::Span outer = node.span();
    return std::any_of(region_.begin(), region_.end(), [&outer](const Node& statement) {
      const program::Span inner = statement.span();
      return outer.begin <= inner.begin && inner.end <= outer.end;
    });
  }

  void collect(const Node& node, bool in_loop) {
    const CXCursorKind kind = node.kind();
    const bool loop = in_loop || kind == CXCursor_ForStmt || kind == CXCursor_WhileStmt ||
                      kind == CXCursor_DoStmt;
    for (const Node& child : node.children()) {
      if (is_region(child)) continue;
      if (holds_region(child) || child.kind() == CXCursor_CompoundStmt) {
        collect(child, loop);
      } else {
        outside_.emplace_back(child, loop);
      }
    }
  }

  void read_statement(const Node& node, Effects& effects) const {
    const Node expression = stripped(node);
    if (is_about_storage(expression)) return;
    if (node.kind() == CXCursor_ReturnStmt) {
      for (const Node& value : node.children()) read_value(value, effects);
    } else if (expression.kind() == CXCursor_CallExpr) {
      read_value(expression, effects);
    } else {
      read_program(node, effects);
    }
  }

  void read_value(const Node& value, Effects& effects) const {
    const Node call = stripped(value);
    if (call.kind() == CXCursor_CallExpr && !container_access(call)) {
      const Call parts = call_of(call);
      if (parts.object) add_names(*parts.object, effects.read_somehow);
      for (const Node& argument : parts.arguments) read_value(argument, effects);
      return;
    }
    try {
      RegionReader reader(region_, changing_);
      for (const program::Access& read : reader.read_value(value)) {
        const Node& variable = reader.declarations().at(read.array);
        effects.reads[variable.key()].push_back({read.elements.range(), read.text});
      }
    } catch (const Error&) {
      add_names(value, effects.read_somehow);
    }
  }

  void read_program(const Node& node, Effects& effects) const {
    try {
      const std::vector<Node> statements = {node};
      RegionReader reader(statements, changing_);
      const program::Program program = reader.read();
      const auto key = [&reader](const std::string& name) {
        return reader.declarations().at(name).key();
      };
      if (!program.assumed.empty()) return add_names(node, effects.read_somehow);
      if (program.statements.empty()) return;
      for (const auto& [name, elements] : program::live_in(program))
        effects.reads[key(name)].push_back({elements, "part of " + name});
      for (const program::Statement& s : program.statements) {
        for (const program::Access& write : s.writes) {
          const auto [known, fresh] =
              effects.overwritten.emplace(key(write.array), write.elements.range());
          if (!fresh) known->second = known->second.unite(write.elements.range());
        }
      }
    } catch (const Error&) {
      add_names(node, effects.read_somehow);
    }
  }

  const std::vector<Node>& region_;
  std::vector<std::pair<Node, bool>> outside_;  // with: in a loop around the region
  Keys changing_;                               // assigned there or in the region
};

// Whether all that a pointer is given is memory allocated here.
bool holds_allocations_only(const Node& variable, const Node& function) {
  std::vector<Node> values;
  if (const auto value = initial_value(variable)) values.push_back(*value);
  visit(function, [&](const Node& part) {
    if (!is_assignment(part)) return;
    const Node target = stripped(part.children().at(0));
    if (target.kind() == CXCursor_DeclRefExpr && target.referenced() == variable)
      values.push_back(part.children().at(1));
  });
  return !values.empty() && std::all_of(values.begin(), values.end(), is_allocation);
}

bool dies_with_function(const Node& variable, const Node& function) {
  if (is_reference(variable.type())) return false;
  const CX_StorageClass storage = clang_Cursor_getStorageClass(variable.cursor);
  const Node parent{clang_getCursorSemanticParent(variable.cursor)};
  const bool in_function = clang_isDeclaration(parent.kind()) != 0 &&
                           (parent == function || parent.kind() == CXCursor_FunctionDecl ||
                            parent.kind() == CXCursor_CXXMethod);
  if (storage == CX_SC_Static || storage == CX_SC_Extern || !in_function) return false;
  CXType type = variable.type();
  if (is_record(type)) return owns_elements(type) || is_number(type);
  if (type.kind == CXType_Pointer)
    return variable.kind() == CXCursor_VarDecl && holds_allocations_only(variable, function);
  if (variable.kind() == CXCursor_ParmDecl && is_array(type)) return false;  // the caller's
  while (is_array(type)) type = clang_getCanonicalType(clang_getArrayElementType(type));
  return type.kind != CXType_Pointer;
}

// The set as elements of `array`, over the parameters of `program`; nothing where its elements
// have another number of subscripts.
std::optional<isl::set> as_elements(const isl::set& set, const std::string& array,
                                    const program::Program& program) {
  if (static_cast<int>(isl_set_dim(set.get(), isl_dim_set)) != program.arrays.at(array).dimensions)
    return std::nullopt;
  isl_set* result = isl_set_set_tuple_name(set.copy(), array.c_str());
  for (int p = static_cast<int>(isl_set_dim(result, isl_dim_param)); p-- > 0;) {
    const std::string name = isl_set_get_dim_name(result, isl_dim_param, static_cast<unsigned>(p));
    const auto& known = program.parameters;
    if (std::find(known.begin(), known.end(), name) == known.end())
      result = isl_set_project_out(result, isl_dim_param, static_cast<unsigned>(p), 1);
  }
  return isl::manage(result);
}

isl::set written(const program::Program& program, const std::string& array) {
  std::optional<isl::set> all;
  for (const program::Statement& s : program.statements) {
    for (const program::Access& write : s.writes) {
      if (write.array != array) continue;
      const isl::set range = write.elements.range();
      all = all ? all->unite(range) : range;
    }
  }
  return *all;
}

// Sets what is read of one array after the region's last statement that writes it, which ends at
// `last_write`; leaves it open where it may be anything.
void mark(program::Program& program, const std::string& name, const std::string& key,
          std::size_t last_write, const std::vector<Effects>& all) {
  program::Array& array = program.arrays.at(name);
  const isl::set values = written(program, name);
  isl::set read = values.subtract(values);
  isl::set overwritten = read;
  std::string text;
  bool address_known = false;
  for (const Effects& effects : all) {
    const bool before = effects.begin < last_write && !effects.repeated;
    if (!before) {
      std::vector<Effects::Read> reads;
      if (const auto known = effects.reads.find(key); known != effects.reads.end())
        reads = known->second;
      if (effects.read_somehow.count(key) != 0 || (address_known && effects.calls))
        reads.push_back({values, "part of " + name});
      for (const Effects::Read& one : reads) {
        const isl::set elements = as_elements(one.elements, name, program).value_or(values);
        const isl::set fresh = elements.subtract(overwritten).intersect(values);
        if (fresh.is_empty()) continue;
        read = read.unite(fresh);
        text += (text.empty() ? "" : ", ") + one.text;
      }
      const auto writes = effects.overwritten.find(key);
      if (writes != effects.overwritten.end()) {
        if (const auto elements = as_elements(writes->second, name, program))
          overwritten = overwritten.unite(*elements);
      }
    }
    address_known = address_known || effects.addresses.count(key) != 0;
  }
  array.read_after_text = text;
  if (!values.is_subset(read)) array.read_after = read.coalesce();
}

}  // namespace

void mark_dead_values(program::Program& program, const std::map<std::string, Node>& declarations,
                      const Node& function, const std::vector<Node>& region) {
  std::map<std::string, std::size_t> last_write;
  for (const Node& statement : region) {
    for (const std::string& key : assigned_below(statement)) last_write[key] = statement.span().end;
  }
  for (const auto& [name, variable] : declarations)  // where a function called here writes it
    last_write.try_emplace(variable.key(), region.back().span().end);
  const std::vector<Effects> all = EffectsReader(function, region).read();
  for (const auto& [name, variable] : declarations) {
    const std::string key = variable.key();
    if (program.arrays.count(name) != 0 && dies_with_function(variable, function)) {
      const bool is_written =
          std::any_of(program.statements.begin(), program.statements.end(),
                      [&n = name](const auto& s) { return s.writes.front().array == n; });
      if (is_written) mark(program, name, key, last_write.at(key), all);
    }
  }
}

}  // namespace redblue::frontend::c
