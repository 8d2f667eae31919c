// SPDX-License-Identifier: BSD-3-Clause
#include "frontend/llvm/nest/writer.hpp"

#include <algorithm>
#include <optional>
#include <sstream>

#include "redblue/error.hpp"

namespace redblue::frontend::llvm_ir {

namespace {

using counting::Body;
using counting::Comparison;
using counting::Expr;
using counting::Location;
using counting::Relation;
using counting::Symbol;

std::string sign(Relation relation) {
  switch (relation) {
    case Relation::less:
      return " < ";
    case Relation::less_equal:
      return " <= ";
    case Relation::greater:
      return " > ";
    case Relation::greater_equal:
      return " >= ";
    case Relation::equal:
      return " == ";
    default:
      return " != ";
  }
}

GiNaC::numeric abs_of(const Expr& number) {
  return abs(GiNaC::ex_to<GiNaC::numeric>(number));
}

// How far a counter gets in so many iterations, or less than a step further: of floor(x / 2)
// iterations by 2 it is x - 2, without the floor.
Expr last_step(const Expr& iterations, const Expr& step) {
  const Expr last = (step * (iterations - 1)).expand();
  if (abs_of(step) == 1) return last;
  for (auto part = iterations.preorder_begin(); part != iterations.preorder_end(); ++part) {
    if (!symbolic::is_floor(*part)) continue;
    const Symbol inner("inner");
    const Expr outside = iterations.subs(*part == inner);
    const Expr whole = (step * (*part).op(0)).expand();
    const bool fits = (outside - inner).expand().has(inner) == false &&
                      whole.integer_content().denom().is_equal(1);
    if (fits) return (step * (outside.subs(inner == (*part).op(0)) - 1)).expand();
  }
  return last;
}

class Writer {
 public:
  Writer(const Recorder& recorder, const std::string& path)
      : recorder_(recorder), path_(path), formulas_(recorder.memories()) {}

  Written write(const counting::Function& function) {
    for (std::size_t m = 0; m < recorder_.memories().size(); ++m) {
      formulas_.memory_name(m);
      for (const auto& [d, low] : recorder_.memories()[m].described.lows) {
        formulas_.resolve(low, 1);
        lows_[low.get_name()] = recorder_.memories()[m].name;
      }
    }
    resolve_and_note(function.body);
    writing_ = true;
    body(function.body, 1);
    Written result;
    result.function = formulas_.unique(function.name);
    result.text = declaration(result) + out_.str() + "}\n";
    result.assumed = assumed_;
    result.taken = taken_;
    return result;
  }

 private:
  // Once to know all strides, then to write.
  void resolve_and_note(const Body& all) {
    body(all, 1);
    out_.str("");
  }

  [[noreturn]] void refuse(const Location& at, const NotWritten& why) const {
    throw Error(path_ + (at.line > 0 ? ":" + std::to_string(at.line) : ""), why.found, why.remedy);
  }

  template <class F>
  auto at_line(const Location& at, F f) {
    try {
      return f();
    } catch (const NotWritten& why) {
      refuse(at, why);
    }
  }

  static void add_once(std::vector<std::string>& list, const std::string& what) {
    if (std::find(list.begin(), list.end(), what) == list.end()) list.push_back(what);
  }
  void assume(const std::string& what) { add_once(assumed_, what); }

  std::string text(const Pieces& pieces) {
    std::string result;
    for (const Piece& piece : pieces) {
      switch (piece.kind) {
        case Piece::Kind::words:
          result += piece.words;
          break;
        case Piece::Kind::integer:
          result += formulas_.text(formulas_.resolved(piece.formula).expand());
          break;
        case Piece::Kind::element:
          note_lows(piece.formula);
          if (!writing_) {
            formulas_.note(piece);
            result += "x";
          } else {
            result += formulas_.element(piece);
          }
          break;
      }
    }
    return result;
  }

  void note_lows(const Expr& formula) {
    for (auto part = formula.preorder_begin(); part != formula.preorder_end(); ++part) {
      if (!GiNaC::is_a<Symbol>(*part)) continue;
      const auto known = lows_.find(GiNaC::ex_to<Symbol>(*part).get_name());
      if (known != lows_.end())
        add_once(taken_, "the lower bounds of '" + known->second + "' are 1");
    }
  }

  std::ostream& line(const Location& at, int depth) {
    if (at.line > 0) out_ << "#line " << at.line << " \"" << path_ << "\"\n";
    return out_ << std::string(2 * static_cast<std::size_t>(depth), ' ');
  }

  void body(const Body& all, int depth) {
    const Line* condition = nullptr;
    for (const counting::Node& node : all) {
      if (const auto* statement = std::get_if<counting::Statement>(&node.is)) {
        const Line& recorded = recorder_.lines().at(std::stoul(statement->name));
        if (recorded.is_condition) {
          condition = &recorded;
          continue;
        }
        const std::string code = at_line(statement->at, [&] { return text(recorded.pieces); });
        line(statement->at, depth) << code << "\n";
      } else if (const auto* inner = std::get_if<counting::Loop>(&node.is)) {
        loop(*inner, depth);
      } else if (const auto* branches = std::get_if<counting::Branch>(&node.is)) {
        branch(*branches, condition, depth);
      } else {
        const auto& call = std::get<counting::Call>(node.is);
        refuse(call.at, {"'" + call.function + "' calls itself, or is too long to be read here",
                         "write recursion as loops"});
      }
    }
  }

  // How many iterations pass one comparison, the first ones; `t` is the number of one.
  Expr passed(const Comparison& test, const Symbol& t) {
    const Expr difference = formulas_.resolved(test.left - test.right).expand();
    const Expr slope = difference.coeff(t, 1);
    const Expr start = difference.coeff(t, 0);
    const bool linear = (difference - slope * t - start).expand().is_zero();
    if (!linear || !GiNaC::is_a<GiNaC::numeric>(slope) || slope.is_zero())
      throw NotWritten{"how often this loop runs is no sum of sizes and of loops around it",
                       "redblue reads loops that count up or down to such a sum"};
    const bool down = slope < 0;
    const Expr steps = (start / (down ? -slope : slope)).expand();
    const auto is = [&](Relation up, Relation falling) {
      return test.relation == (down ? falling : up);
    };
    if (is(Relation::less, Relation::greater))
      return down ? symbolic::ceil(steps) : symbolic::ceil(-steps);
    if (is(Relation::less_equal, Relation::greater_equal))
      return (down ? symbolic::floor(steps) : symbolic::floor(-steps)) + 1;
    if (test.relation == Relation::not_equal) return down ? steps : Expr(-steps);
    throw NotWritten{"this loop ends at once or never", "count up or down to a sum of sizes"};
  }

  // Whether a number is 0 or more behind the branches around it, whose sides are sizes.
  bool is_known(const Expr& number) const {
    if (GiNaC::is_a<GiNaC::numeric>(number)) return number >= 0;
    return std::any_of(holding_.begin(), holding_.end(), [&](const Expr& known) {
      const Expr more = (number - known).expand();
      return GiNaC::is_a<GiNaC::numeric>(more) && more >= 0;
    });
  }

  // What is 0 or more where the comparison holds.
  void hold(const Comparison& one) {
    const Expr d = formulas_.resolved(one.left - one.right).expand();
    switch (one.relation) {
      case Relation::less:
        return holding_.push_back(-d - 1);
      case Relation::less_equal:
        return holding_.push_back(-d);
      case Relation::greater:
        return holding_.push_back(d - 1);
      case Relation::not_equal:  // sizes are not negative
        if (GiNaC::is_a<Symbol>(d)) holding_.push_back(d - 1);
        return;
      default:
        return holding_.push_back(d);
    }
  }

  struct Counted {
    Expr iterations;
    Symbol number;                                // of an iteration: 0, 1, ..
    const counting::Variable* counter = nullptr;  // grows or falls evenly, and has a name
    Expr step = 1;                                // its
  };

  Counted counted(const counting::Loop& loop) {
    if (loop.guard.empty())
      throw NotWritten{"only data end this loop", "give it a bound: do i = 1, most"};
    Counted result{0, symbolic::symbol("iteration#" + std::to_string(++loops_)), nullptr, 1};
    for (const counting::Variable& v : loop.variables) {
      const Expr step = formulas_.resolved(v.next - v.symbol).expand();
      if (!GiNaC::is_a<GiNaC::numeric>(step) || step.is_zero()) continue;
      formulas_.resolve(v.symbol, formulas_.resolved(v.start) + step * result.number);
      const std::string name = v.symbol.get_name();
      const bool named = !name.starts_with("v#") && !name.starts_with(".");
      const bool better = result.counter == nullptr || abs_of(step) < abs_of(result.step);
      if (named && better && step.info(GiNaC::info_flags::integer)) {
        result.counter = &v;
        result.step = step;
      }
    }
    bool first = true;
    for (const Comparison& test : loop.guard) {
      const Expr most = passed(test, result.number);
      result.iterations = first ? most : symbolic::minimum(result.iterations, most);
      first = false;
    }
    if (loop.tested_at_end) {
      if (!is_known(result.iterations))
        assume("the loop at line " + std::to_string(loop.at.line) + " runs at least once");
      result.iterations += 1;
    }
    if (loop.ends_early)
      assume("the loop at line " + std::to_string(loop.at.line) + " is not left before its end");
    return result;
  }

  void loop(const counting::Loop& loop, int depth) {
    const Counted of = at_line(loop.at, [&] { return counted(loop); });
    std::string wanted = of.counter == nullptr ? "t" : of.counter->symbol.get_name();
    const std::string name = formulas_.unique(wanted.substr(0, wanted.find('#')));
    formulas_.declare(name);
    const Symbol counter = symbolic::symbol(name);
    const Expr start =
        of.counter == nullptr ? Expr(0) : formulas_.resolved(of.counter->start).expand();
    const Expr number = (counter - start) / of.step;
    for (const counting::Variable& v : loop.variables) {
      const Expr value = formulas_.resolved(v.symbol);
      const Expr last =
          loop.tested_at_end ? of.iterations - 1 : symbolic::maximum(of.iterations, Expr(0));
      if (!value.is_equal(v.symbol)) {
        formulas_.resolve(v.exit, value.subs(GiNaC::ex(of.number) == last).expand());
        formulas_.resolve(v.symbol, value.subs(GiNaC::ex(of.number) == number).expand());
      }
    }
    at_line(loop.at, [&] {
      const bool down = of.step < 0;
      const std::string end = formulas_.text((start + last_step(of.iterations, of.step)).expand());
      line(loop.at, depth) << "for (long " << name << " = " << formulas_.text(start) << "; " << name
                           << (down ? " >= " : " <= ") << end << "; " << name
                           << (down ? " -= " : " += ") << abs_of(of.step) << ") {\n";
    });
    body(loop.body, depth + 1);
    formulas_.release(name);
    out_ << std::string(2 * static_cast<std::size_t>(depth), ' ') << "}\n";
  }

  std::optional<std::string> affine(const counting::Path& path) {
    if (path.depends_on_data) return std::nullopt;
    std::string all;
    for (const Comparison& one : path.conditions) {
      const Expr difference = formulas_.resolved(one.left - one.right).expand();
      try {
        const std::string text = formulas_.text(difference);
        all += (all.empty() ? "" : " && ") + text + sign(one.relation) + "0";
      } catch (const NotWritten&) {
        return std::nullopt;
      }
    }
    return all.empty() ? "1" : all;
  }

  void branch(const counting::Branch& branch, const Line* condition, int depth) {
    const bool does_nothing = std::all_of(branch.paths.begin(), branch.paths.end(),
                                          [](const auto& path) { return path.body.empty(); });
    if (does_nothing) return;
    const std::string indent(2 * static_cast<std::size_t>(depth), ' ');
    bool first = true, by_data = false;
    for (const counting::Path& path : branch.paths) {
      std::optional<std::string> holds = affine(path);
      by_data = by_data || !holds;
      if (by_data && first) {
        holds = condition == nullptr
                    ? std::nullopt
                    : std::optional(at_line(branch.at, [&] { return text(condition->pieces); }));
        if (!holds)
          refuse(branch.at, {"a branch that depends on data is too tangled to be read",
                             "write if, then, else"});
      }
      line(branch.at, depth) << (first     ? "if (" + *holds + ") {\n"
                                 : by_data ? std::string("else {\n")
                                           : "else if (" + *holds + ") {\n");
      const std::size_t before = holding_.size();
      if (!path.depends_on_data) {
        for (const Comparison& one : path.conditions) hold(one);
      }
      body(path.body, depth + 1);
      holding_.resize(before);
      out_ << indent << "}\n";
      first = false;
    }
  }

  std::string declaration(Written& result) {
    std::string parameters, variables;
    for (std::size_t m = 0; m < recorder_.memories().size(); ++m) {
      const NamedMemory& memory = recorder_.memories()[m];
      const std::string type = memory.is_integer ? "long " : "double ";
      const std::string name = formulas_.memory_name(m);
      if (memory.is_variable && memory.is_local) {
        variables += "  " + type + name + ";\n";
        continue;
      }
      std::string array = memory.is_variable ? memory.is_written ? "[1]" : "" : "[]";
      if (!memory.described.strides.empty()) {
        for (int d = memory.described.strides.rbegin()->first - 1; d >= 0; --d)
          array += "[" + formulas_.extent(m, d) + "]";
      }
      parameters += (parameters.empty() ? "" : ", ") + type + name + array;
      if (memory.is_local) result.local.push_back(name);
    }
    std::string sizes;
    for (const std::string& name : formulas_.parameters())
      sizes += (sizes.empty() ? "long " : ", long ") + name;
    if (!sizes.empty() && !parameters.empty()) sizes += ", ";
    const std::string helpers =
        "#include <math.h>\n"
        "static long min(long a, long b) { return a < b ? a : b; }\n"
        "static long max(long a, long b) { return a > b ? a : b; }\n"
        "static long floord(long a, long b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }\n";
    return helpers + "void " + result.function + "(" + sizes + parameters + ") {\n" + variables;
  }

  const Recorder& recorder_;
  const std::string path_;
  Formulas formulas_;
  std::ostringstream out_;
  std::vector<std::string> assumed_, taken_;
  std::map<std::string, std::string> lows_;  // lower bounds in descriptors -> arrays
  std::vector<Expr> holding_;                // 0 or more, where the writer stands
  bool writing_ = false;
  int loops_ = 0;
};

}  // namespace

Written written(const counting::Function& function, const Recorder& recorder,
                const std::string& path) {
  return Writer(recorder, path).write(function);
}

}  // namespace redblue::frontend::llvm_ir
