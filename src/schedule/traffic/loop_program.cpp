// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/traffic/loop_program.hpp"

#include <isl/ast.h>
#include <isl/ast_build.h>
#include <isl/id.h>
#include <isl/options.h>
#include <isl/schedule.h>
#include <isl/set.h>
#include <isl/union_map.h>
#include <isl/union_set.h>
#include <isl/val.h>

#include <algorithm>
#include <functional>

#include "program/checked.hpp"
#include "redblue/error.hpp"

namespace redblue::schedule {

using program::Program;
using program::Sizes;
using program::Statement;

namespace {

class Compiler {
 public:
  Compiler(const Program& program, const Sizes& sizes, const Placement& placement)
      : program_(program), sizes_(sizes), placement_(placement) {
    result_.name = program.name;
    result_.elements = placement_.elements;
    result_.output = placement_.output;
    result_.arrays = placement_.arrays;
  }

  LoopProgram compile(const isl::union_map& times) {
    isl::union_map all = isl::manage(isl_union_map_empty_ctx(program::context().get()));
    for (const isl::set& domain : placement_.domains) all = all.unite(restricted(times, domain));
    return compiled_of([&all](isl_ast_build* build) {
      return isl_ast_build_node_from_schedule_map(build, all.copy());
    });
  }

  LoopProgram compile(const isl::schedule& tree) {
    isl::union_set all = isl::manage(isl_union_set_empty_ctx(program::context().get()));
    for (const isl::set& domain : placement_.domains) all = all.unite(isl::union_set(domain));
    const isl::union_set here = isl::manage(isl_union_set_intersect_params(
        all.release(), program::at_sizes(sizes_).params().release()));
    const isl::schedule restricted =
        isl::manage(isl_schedule_intersect_domain(tree.copy(), here.copy()));
    return compiled_of([&restricted](isl_ast_build* build) {
      return isl_ast_build_node_from_schedule(build, restricted.copy());
    });
  }

 private:
  using Loops = std::function<isl_ast_node*(isl_ast_build*)>;

  LoopProgram compiled_of(const Loops& make) {
    isl_ctx* ctx = program::context().get();
    isl_ast_node* tree = loops(make);
    if (tree == nullptr) {
      // isl 0.25 fails on some tiles that fit a loop exactly ("original tableau does not correspond
      // to original basic map") unless it keeps existentially quantified variables apart.
      const int usual = isl_options_get_coalesce_preserve_locals(ctx);
      isl_options_set_coalesce_preserve_locals(ctx, 1);
      tree = loops(make);
      isl_options_set_coalesce_preserve_locals(ctx, usual);
    }
    if (tree == nullptr) throw Error("loops of " + program_.name, "isl finds none", "");
    result_.root = compiled(tree);
    return std::move(result_);
  }

  // Null where isl gives up.
  isl_ast_node* loops(const Loops& make) const {
    isl_ctx* ctx = program::context().get();
    isl_id_list* names = isl_id_list_alloc(ctx, 0);
    for (int d = 0; d < 64; ++d) {
      names = isl_id_list_add(names, isl_id_alloc(ctx, ("c" + std::to_string(d)).c_str(), nullptr));
    }
    isl_ast_build* build = isl_ast_build_set_iterators(
        isl_ast_build_from_context(program::at_sizes(sizes_).params().release()), names);
    isl_ast_node* tree = make(build);
    isl_ast_build_free(build);
    return tree;
  }

  isl::union_map restricted(const isl::union_map& times, const isl::set& domain) const {
    const isl::union_map here = times.intersect_domain(isl::union_set(domain));
    isl::union_map result = isl::manage(isl_union_map_empty_ctx(program::context().get()));
    here.foreach_map([&](const isl::map& map) {
      result = result.unite(isl::union_map(program::at_sizes(map, sizes_)));
    });
    return result;
  }

  std::size_t add(LoopNode node) {
    result_.nodes.push_back(std::move(node));
    return result_.nodes.size() - 1;
  }

  // Takes the node.
  std::size_t compiled(isl_ast_node* node) {
    std::size_t result = 0;
    switch (isl_ast_node_get_type(node)) {
      case isl_ast_node_for:
        result = loop(node);
        break;
      case isl_ast_node_if:
        result = branch(node);
        break;
      case isl_ast_node_block:
        result = block(node);
        break;
      case isl_ast_node_mark:
        result = compiled(isl_ast_node_mark_get_node(node));
        break;
      default:
        result = statement(node);
    }
    isl_ast_node_free(node);
    return result;
  }

  std::size_t loop(isl_ast_node* node) {
    LoopNode made;
    made.kind = LoopNode::Kind::loop;
    made.lower = formula(isl_ast_node_for_get_init(node));
    const isl::id name = isl::manage(isl_ast_expr_get_id(isl_ast_node_for_get_iterator(node)));
    made.counter = slots_.size();
    const bool single = isl_ast_node_for_is_degenerate(node) == isl_bool_true;
    slots_.push_back(isl_id_get_name(name.get()));
    result_.counters = std::max(result_.counters, slots_.size());
    if (single) {
      made.upper = made.lower;
    } else {
      made.step = formula(isl_ast_node_for_get_inc(node)).constant;
      made.upper = last(isl_ast_node_for_get_cond(node));
    }
    made.children.push_back(compiled(isl_ast_node_for_get_body(node)));
    slots_.pop_back();
    return add(std::move(made));
  }

  // From counter <= last or counter < after.
  Formula last(isl_ast_expr* condition) {
    const isl_ast_expr_op_type type = isl_ast_expr_get_op_type(condition);
    Formula bound = formula(isl_ast_expr_get_op_arg(condition, 1));
    isl_ast_expr_free(condition);
    if (type == isl_ast_expr_op_le) return bound;
    if (type != isl_ast_expr_op_lt) {
      throw Error("loops of " + program_.name, "a loop without an upper end", "");
    }
    return operation(isl_ast_expr_op_sub, {std::move(bound), number(1)});
  }

  std::size_t branch(isl_ast_node* node) {
    LoopNode made;
    made.kind = LoopNode::Kind::branch;
    made.condition = formula(isl_ast_node_if_get_cond(node));
    made.children.push_back(compiled(isl_ast_node_if_get_then_node(node)));
    if (isl_ast_node_if_has_else_node(node) == isl_bool_true) {
      made.children.push_back(compiled(isl_ast_node_if_get_else_node(node)));
    }
    return add(std::move(made));
  }

  std::size_t block(isl_ast_node* node) {
    LoopNode made;
    isl_ast_node_list* all = isl_ast_node_block_get_children(node);
    for (int c = 0; c < isl_ast_node_list_n_ast_node(all); ++c) {
      made.children.push_back(compiled(isl_ast_node_list_get_ast_node(all, c)));
    }
    isl_ast_node_list_free(all);
    return add(std::move(made));
  }

  std::size_t statement(isl_ast_node* node) {
    LoopNode made;
    made.kind = LoopNode::Kind::statement;
    isl_ast_expr* call = isl_ast_node_user_get_expr(node);
    isl_ast_expr* callee = isl_ast_expr_get_op_arg(call, 0);
    const isl::id name = isl::manage(isl_ast_expr_get_id(callee));
    isl_ast_expr_free(callee);
    for (int a = 1; a < isl_ast_expr_get_op_n_arg(call); ++a) {
      made.arguments.push_back(formula(isl_ast_expr_get_op_arg(call, a)));
    }
    isl_ast_expr_free(call);
    const auto& all = program_.statements;
    const auto s =
        static_cast<std::size_t>(std::find_if(all.begin(), all.end(),
                                              [&name](const Statement& x) {
                                                return x.name == isl_id_get_name(name.get());
                                              }) -
                                 all.begin());
    made.statement = s;
    made.strided = true;
    for (const Reference& r : placement_.references[s]) {
      Touch touch = touch_of(r, made.arguments);
      touch.read = made.touches.size();
      made.strided = made.strided && touch.subscripts == nullptr;
      made.touches.push_back(std::move(touch));
    }
    drop_repeated(made);
    if (made.touches.size() > result_.most_touches) {
      result_.most_touches = made.touches.size();
      result_.busiest = program_.statements[s].name;
    }
    return add(std::move(made));
  }

  static Touch touch_of(const Reference& r, const std::vector<Formula>& arguments) {
    Touch touch;
    touch.box = r.box;
    const bool sums = (!r.sums.empty() || r.box.low.empty()) &&
                      std::all_of(arguments.begin(), arguments.end(),
                                  [](const Formula& f) { return f.is_sum(); });
    if (!sums || r.sums.size() != r.box.low.size()) {
      touch.subscripts = r.function;
      return touch;
    }
    Formula at = number(0);
    for (std::size_t d = 0; d < r.sums.size(); ++d) {
      at = plus(number(-r.box.low[d]), at, r.box.extent[d]);
      at.constant += r.sums[d].constant;
      for (const Formula::Term& t : r.sums[d].terms) at = plus(at, arguments[t.counter], t.factor);
    }
    at.constant += r.box.first;
    touch.element = at;
    return touch;
  }

  // Reads of one element count once; where that is not plain, walking looks.
  static void drop_repeated(LoopNode& node) {
    std::vector<Touch> kept;
    for (std::size_t t = 0; t + 1 < node.touches.size(); ++t) {
      const Touch& here = node.touches[t];
      const bool known = std::any_of(kept.begin(), kept.end(), [&here](const Touch& k) {
        return k.subscripts == nullptr && here.subscripts == nullptr && k.element == here.element;
      });
      if (!known) kept.push_back(here);
    }
    for (std::size_t a = 0; a < kept.size(); ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        const bool sums = kept[a].subscripts == nullptr && kept[b].subscripts == nullptr;
        const bool apart = kept[a].box.first != kept[b].box.first ||
                           (sums && plus(kept[a].element, kept[b].element, -1).terms.empty());
        node.may_repeat = node.may_repeat || !apart;
      }
    }
    kept.push_back(node.touches.back());
    node.touches = std::move(kept);
  }

  // Of a loop around, the innermost of that name, or of a size.
  Formula value_of(const std::string& name) const {
    const auto slot = std::find(slots_.rbegin(), slots_.rend(), name);
    if (slot != slots_.rend()) return counter(static_cast<std::size_t>(slots_.rend() - slot) - 1);
    const auto size = sizes_.find(name);
    if (size == sizes_.end())
      throw Error("loops of " + program_.name, "a name without a value", "");
    return number(size->second);
  }

  // Takes the expression.
  Formula formula(isl_ast_expr* e) {
    Formula result;
    if (isl_ast_expr_get_type(e) == isl_ast_expr_int) {
      result = number(program::whole_number(isl_ast_expr_get_val(e)).value());
    } else if (isl_ast_expr_get_type(e) == isl_ast_expr_id) {
      const isl::id id = isl::manage(isl_ast_expr_get_id(e));
      result = value_of(isl_id_get_name(id.get()));
    } else {
      std::vector<Formula> arguments;
      for (int a = 0; a < isl_ast_expr_get_op_n_arg(e); ++a) {
        arguments.push_back(formula(isl_ast_expr_get_op_arg(e, a)));
      }
      result = operation(isl_ast_expr_get_op_type(e), std::move(arguments));
    }
    isl_ast_expr_free(e);
    return result;
  }

  const Program& program_;
  const Sizes& sizes_;
  const Placement& placement_;
  std::vector<std::string> slots_;  // counters of the loops around
  LoopProgram result_;
};

}  // namespace

LoopProgram SizedOrder::at(const Sizes& sizes) const {
  return order.tree ? loop_program(program, *order.tree, sizes, placed(program, sizes))
                    : by_times(sizes);
}

LoopProgram SizedOrder::by_times(const Sizes& sizes) const {
  return loop_program(program, order.times, sizes);
}

LoopProgram loop_program(const Program& program, const isl::union_map& times, const Sizes& sizes) {
  return loop_program(program, times, sizes, placed(program, sizes));
}

LoopProgram loop_program(const Program& program, const isl::union_map& times, const Sizes& sizes,
                         const Placement& placement) {
  return Compiler(program, sizes, placement).compile(times);
}

LoopProgram loop_program(const Program& program, const isl::schedule& tree, const Sizes& sizes,
                         const Placement& placement) {
  return Compiler(program, sizes, placement).compile(tree);
}

}  // namespace redblue::schedule
