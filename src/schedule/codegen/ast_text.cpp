// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/codegen/ast_text.hpp"

#include <isl/ast.h>
#include <isl/ast_build.h>
#include <isl/id.h>
#include <isl/options.h>
#include <isl/set.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "schedule/c_text.hpp"
#include "schedule/codegen/loop_marks.hpp"
#include "schedule/codegen/statement_text.hpp"
#include "schedule/time_maps.hpp"

namespace redblue::schedule::codegen {

void Lines::add(const std::string& line) {
  text_ += std::string(static_cast<std::size_t>(2 * indent_), ' ') + line + "\n";
}

void Lines::open(const std::string& line) {
  add(line + (line.empty() ? "{" : " {"));
  ++indent_;
}

void Lines::close() {
  --indent_;
  add("}");
}

namespace {

using Node = std::unique_ptr<isl_ast_node, decltype(&isl_ast_node_free)>;
using Expr = std::unique_ptr<isl_ast_expr, decltype(&isl_ast_expr_free)>;

Node held(isl_ast_node* node) {
  return {node, &isl_ast_node_free};
}
Expr held(isl_ast_expr* expr) {
  return {expr, &isl_ast_expr_free};
}

std::string text_of(isl_ast_expr* expr) {
  char* text = isl_ast_expr_to_C_str(expr);
  std::string result = text;
  std::free(text);
  return renamed(result);
}

bool is_loop(isl_ast_node* node) {
  return isl_ast_node_get_type(node) == isl_ast_node_for &&
         isl_ast_node_for_is_degenerate(node) != isl_bool_true;
}

bool is_choice(isl_ast_node* node) {
  return isl_ast_node_get_type(node) == isl_ast_node_if;
}

// How often kind() holds at or below the node.
int count(isl_ast_node* node, bool (*kind)(isl_ast_node*)) {
  struct Search {
    bool (*kind)(isl_ast_node*);
    int found;
  } search = {kind, 0};
  isl_ast_node_foreach_descendant_top_down(
      node,
      [](isl_ast_node* n, void* user) {
        auto& s = *static_cast<Search*>(user);
        s.found += s.kind(n) ? 1 : 0;
        return isl_bool_true;
      },
      &search);
  return search.found;
}

bool has_loop(isl_ast_node* node) {
  return count(node, is_loop) > 0;
}

// Times up to the loop; null where isl kept none.
const isl::union_map* times_upto(isl_ast_node* loop, const std::vector<isl::union_map>& all) {
  const isl::id id = isl::manage(isl_ast_node_get_annotation(loop));
  if (id.is_null()) return nullptr;
  const auto number = reinterpret_cast<std::uintptr_t>(isl_id_get_user(id.get()));
  return &all.at(number - 1);
}

class TreeWriter {
 public:
  TreeWriter(const LoopText& loops, const std::vector<isl::union_map>& upto, Lines& lines)
      : loops_(loops), upto_(upto), lines_(lines) {}

  void write(isl_ast_node* node) {
    switch (isl_ast_node_get_type(node)) {
      case isl_ast_node_for:
        return loop(node);
      case isl_ast_node_if:
        return choice(node);
      case isl_ast_node_block:
        return block(node);
      case isl_ast_node_mark:
        return write(held(isl_ast_node_mark_get_node(node)).get());
      case isl_ast_node_user:
        return instance(node);
      default:
        return;
    }
  }

 private:
  void loop(isl_ast_node* node) {
    const Expr variable = held(isl_ast_node_for_get_iterator(node));
    const Expr first = held(isl_ast_node_for_get_init(node));
    const Node body = held(isl_ast_node_for_get_body(node));
    const std::string name = text_of(variable.get());
    if (isl_ast_node_for_is_degenerate(node) == isl_bool_true) {
      Lines inside(lines_.indent() + 1);
      TreeWriter inner(loops_, upto_, inside);
      inner.inside_shared_ = inside_shared_;
      inner.write(body.get());
      lines_.open("");
      if (has_word(inside.text(), name))
        lines_.add("const " + loops_.type + " " + name + " = " + text_of(first.get()) + ";");
      lines_.append(inside);
      return lines_.close();
    }
    const bool innermost = !has_loop(body.get());
    const isl::union_map* reached = times_upto(node, upto_);
    const bool independent = innermost && reached && loops_.parallel && loops_.parallel(*reached);
    std::optional<std::vector<std::string>> own_lines;
    if (!inside_shared_ && reached && loops_.shared) own_lines = loops_.shared(*reached, name);
    const bool shared = own_lines.has_value();
    if (shared) {
      lines_.add(independent            ? shared_innermost_mark
                 : in_tiles(node, name) ? mark_of_tiles(*reached)
                                        : shared_mark);
    } else if (independent) {
      lines_.add(independent_mark);
    }
    lines_.open("for (" + header(node, name, text_of(first.get()), shared) + ")");
    if (own_lines)
      for (const std::string& line : *own_lines) lines_.add(line);
    inside_shared_ = inside_shared_ || shared;
    write(body.get());
    inside_shared_ = inside_shared_ && !shared;
    lines_.close();
  }

  // The loop steps from tile to tile, or counts them (loop_names.hpp).
  static bool in_tiles(isl_ast_node* node, const std::string& name) {
    return text_of(held(isl_ast_node_for_get_inc(node)).get()) != "1" || name.ends_with("_tile");
  }

  const char* mark_of_tiles(const isl::union_map& upto) const {
    return loops_.equal_steps && loops_.equal_steps(upto) ? shared_equal_mark : shared_steps_mark;
  }

  // "int i = 0; i < n; i++": a bound that is computed gets a name, so that loops test a variable.
  // Loops that threads share declare one variable.
  std::string header(isl_ast_node* node, const std::string& name, const std::string& first,
                     bool shared) const {
    const Expr test = held(isl_ast_node_for_get_cond(node));
    const Expr step = held(isl_ast_node_for_get_inc(node));
    const Expr bound = held(isl_ast_expr_op_get_arg(test.get(), 1));
    const bool strict = isl_ast_expr_op_get_type(test.get()) == isl_ast_expr_op_lt;
    std::string end = text_of(bound.get()), ends;
    if (!shared && end.find('(') != std::string::npos) {
      ends = ", " + name + "_end = " + end;
      end = name + "_end";
    }
    const std::string by = text_of(step.get());
    return loops_.type + " " + name + " = " + first + ends + "; " + name +
           (strict ? " < " : " <= ") + end + "; " + name + (by == "1" ? "++" : " += " + by);
  }

  void choice(isl_ast_node* node) {
    const Expr test = held(isl_ast_node_if_get_cond(node));
    lines_.open("if (" + text_of(test.get()) + ")");
    write(held(isl_ast_node_if_get_then_node(node)).get());
    lines_.close();
    if (isl_ast_node_if_has_else_node(node) != isl_bool_true) return;
    lines_.open("else");
    write(held(isl_ast_node_if_get_else_node(node)).get());
    lines_.close();
  }

  void block(isl_ast_node* node) {
    isl_ast_node_list* all = isl_ast_node_block_get_children(node);
    for (int c = 0; c < isl_ast_node_list_n_ast_node(all); ++c) {
      write(held(isl_ast_node_list_get_ast_node(all, c)).get());
    }
    isl_ast_node_list_free(all);
  }

  void instance(isl_ast_node* node) {
    const Expr call = held(isl_ast_node_user_get_expr(node));
    Reached reached;
    for (int a = 0; a < isl_ast_expr_op_get_n_arg(call.get()); ++a) {
      const Expr argument = held(isl_ast_expr_op_get_arg(call.get(), a));
      if (a > 0) {
        reached.coordinates.push_back(text_of(argument.get()));
        continue;
      }
      const isl::id id = isl::manage(isl_ast_expr_id_get_id(argument.get()));
      reached.name = id.name();
    }
    loops_.write(reached, lines_);
  }

  const LoopText& loops_;
  const std::vector<isl::union_map>& upto_;
  Lines& lines_;
  bool inside_shared_ = false;
};

// [t] -> unroll[depth], or another class of loops.
isl::union_map of_class(const std::string& kind, const std::vector<int>& depths, int length) {
  std::string from, text;
  for (int d = 0; d < length; ++d) from += (d == 0 ? "t" : ", t") + std::to_string(d);
  for (const int depth : depths)
    text += (text.empty() ? "" : "; ") +
            ("[" + from + "] -> " + kind + "[" + std::to_string(depth) + "]");
  return isl::union_map(program::context(), "{ " + text + " }");
}

// Loops as isl makes them, and the times up to each.
struct Syntax {
  Node tree;
  std::vector<isl::union_map> upto;
};

// `separated`: depths of loops to be cut where the statements inside change.
Syntax syntax_of(const LoopText& loops, const std::vector<int>& separated) {
  isl_ctx* ctx = program::context().get();
  isl_options_set_ast_iterator_type(ctx, loops.type.c_str());
  isl_id_list* names = isl_id_list_alloc(ctx, 0);
  for (const std::string& name : loops.names) {
    names = isl_id_list_add(names, isl_id_alloc(ctx, name.c_str(), nullptr));
  }
  std::vector<isl::union_map> upto;
  const auto [times, known] = aligned(loops.times, loops.known);
  isl_ast_build* build =
      isl_ast_build_set_iterators(isl_ast_build_from_context(known.copy()), names);
  const int length = longest(loops.times);
  const isl::union_map options =
      of_class("unroll", loops.unrolled, length).unite(of_class("separate", separated, length));
  if (!options.is_empty()) build = isl_ast_build_set_options(build, options.copy());
  build = isl_ast_build_set_before_each_for(
      build,
      [](isl_ast_build* here, void* user) {
        auto& all = *static_cast<std::vector<isl::union_map>*>(user);
        all.push_back(isl::manage(isl_ast_build_get_schedule(here)));
        return isl_id_alloc(isl_ast_build_get_ctx(here), "loop",
                            reinterpret_cast<void*>(static_cast<std::uintptr_t>(all.size())));
      },
      &upto);
  Node tree = held(isl_ast_build_node_from_schedule_map(build, times.copy()));
  isl_ast_build_free(build);
  return {std::move(tree), std::move(upto)};
}

// What innermost loops ask at every step.
struct Guards {
  int count = 0;
  int instances = 0;                 // of statements, in the text
  std::vector<std::string> guarded;  // the variables of those loops
};

Guards guards_of(isl_ast_node* tree) {
  Guards found;
  isl_ast_node_foreach_descendant_top_down(
      tree,
      [](isl_ast_node* node, void* user) {
        auto& all = *static_cast<Guards*>(user);
        all.instances += isl_ast_node_get_type(node) == isl_ast_node_user ? 1 : 0;
        if (!is_loop(node)) return isl_bool_true;
        const Node body = held(isl_ast_node_for_get_body(node));
        const int guards = count(body.get(), is_choice);
        if (guards == 0 || has_loop(body.get())) return isl_bool_true;
        all.count += guards;
        all.guarded.push_back(text_of(held(isl_ast_node_for_get_iterator(node)).get()));
        return isl_bool_true;
      },
      &found);
  return found;
}

// Loops that ask nothing inside of innermost ones, where that takes no more than a few times the
// text.
Syntax without_guards(const LoopText& loops) {
  Syntax plain = syntax_of(loops, {});
  const Guards asked = guards_of(plain.tree.get());
  const auto is_in = [](const auto& all, const auto& one) {
    return std::find(all.begin(), all.end(), one) != all.end();
  };
  std::vector<int> depths;
  for (int d = 0; d < static_cast<int>(loops.names.size()); ++d) {
    if (is_in(asked.guarded, loops.names[static_cast<std::size_t>(d)]) && !is_in(loops.unrolled, d))
      depths.push_back(d);
  }
  if (depths.empty()) return plain;
  constexpr int longer = 4, few = 12;
  Syntax cut = syntax_of(loops, depths);
  const Guards left = guards_of(cut.tree.get());
  if (left.count >= asked.count || left.instances > std::max(few, longer * asked.instances))
    return plain;
  return cut;
}

}  // namespace

void write_loops(const LoopText& loops, Lines& lines) {
  const Syntax syntax = without_guards(loops);
  TreeWriter(loops, syntax.upto, lines).write(syntax.tree.get());
}

}  // namespace redblue::schedule::codegen
