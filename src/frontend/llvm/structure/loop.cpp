// SPDX-License-Identifier: BSD-3-Clause
// A loop of the IR as a loop of the model.
#include <llvm/IR/CFG.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>

#include "frontend/llvm/ir/names.hpp"
#include "frontend/llvm/module/openmp.hpp"
#include "frontend/llvm/structure/structure.hpp"
#include "redblue/error.hpp"

namespace redblue::frontend::llvm_ir {

namespace {

using counting::Body;
using counting::Comparison;
using counting::Expr;
using counting::Relation;

// The variable's name; that of what is made of it where the compiler alone knows it.
std::string counter_name(const llvm::PHINode& phi) {
  std::string name = plain_name(phi);
  if (!name.starts_with(".")) return name;
  for (const llvm::User* user : phi.users()) {
    name = plain_name(*user);
    if (!name.empty() && !name.starts_with(".")) return name;
  }
  return {};
}

// A loop without any way out, if it calls nothing that may end the program.
void must_end(const llvm::Loop& loop) {
  if (!loop.hasNoExitBlocks()) return;
  for (const llvm::BasicBlock* block : loop.blocks()) {
    for (const llvm::Instruction& instruction : *block) {
      const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      if (call != nullptr && !llvm::isa<llvm::IntrinsicInst>(call)) return;
    }
  }
  throw Error("the loop at " + place_of(location_of(loop)), "it never ends: nothing leaves it",
              "count functions whose loops end");
}

bool shrinks(const counting::Loop& loop, const Expr& number) {
  Expr next = number;
  GiNaC::exmap step;
  for (const counting::Variable& variable : loop.variables) step[variable.symbol] = variable.next;
  const Expr change = (number.subs(step) - number).expand();
  return !GiNaC::is_a<GiNaC::numeric>(change) || change < 0;
}

// Whether a comparison is one of the loop's variables with what is known before it: not with what
// its body computes anew (data are known to differ).
bool known_at_test(const Comparison& comparison, const counting::Loop& read, const llvm::Loop& loop,
                   const Reading& reading) {
  for (const Expr& side : {comparison.left, comparison.right}) {
    for (auto part = side.preorder_begin(); part != side.preorder_end(); ++part) {
      if (!GiNaC::is_a<GiNaC::symbol>(*part)) continue;
      const auto& symbol = GiNaC::ex_to<GiNaC::symbol>(*part);
      const llvm::Loop* scope = reading.scope_of(symbol);
      const auto is_symbol = [&](const auto& v) { return v.symbol.is_equal(symbol); };
      if (scope == nullptr || !loop.contains(scope) || reading.is_datum(symbol)) continue;
      if (std::none_of(read.variables.begin(), read.variables.end(), is_symbol)) return false;
    }
  }
  return true;
}

// The comparisons that hold in every iteration; one that is not known where it is tested lets data
// end the loop.
void add_guard(const Condition& condition, const llvm::Loop& loop, const Reading& reading,
               counting::Loop& read) {
  for (std::size_t index = 0; index < condition.all.size(); ++index) {
    const Comparison& one = condition.all[index];
    if (!known_at_test(one, read, loop, reading)) {
      read.ends_early = true;
      continue;
    }
    read.guard.push_back(one);
    const bool is_unsigned = condition.unsigned_less.count(index) != 0;
    if (is_unsigned && shrinks(read, one.left)) {
      read.guard.push_back({one.left, Relation::greater_equal, 0});
    }
  }
}

// The guard compares one of the loop's variables, which grow or fall by numbers, with numbers and
// scalars that do not change while the loop runs; none starts at an element of an array.
bool is_up_to_scalars(const counting::Loop& read, const llvm::Loop& loop, const Reading& reading) {
  if (read.ends_early || read.guard.empty()) return false;
  const auto is_unfit = [&](const counting::Symbol& symbol) {
    for (const counting::Variable& v : read.variables) {
      if (v.symbol.is_equal(symbol))
        return !GiNaC::is_a<GiNaC::numeric>((v.next - v.symbol).expand());
    }
    const llvm::Loop* scope = reading.scope_of(symbol);
    return scope != nullptr && (loop.contains(scope) || !reading.is_scalar(symbol));
  };
  // Fortran's loops count down from how many iterations they have: the bounds are in the start.
  const auto starts_at_data = [&](const counting::Variable& v) {
    return symbolic::any_symbol(v.start, [&](const counting::Symbol& symbol) {
      return reading.is_datum(symbol) && !reading.is_scalar(symbol);
    });
  };
  if (std::any_of(read.variables.begin(), read.variables.end(), starts_at_data)) return false;
  return std::none_of(read.guard.begin(), read.guard.end(), [&](const Comparison& c) {
    return symbolic::any_symbol((c.left - c.right).expand(), is_unfit);
  });
}

}  // namespace

// Tests one after the other; what of them cannot be written lets data end the loop.
Condition Structure::guard_condition(const Guard& guard, const llvm::Loop& loop) {
  Condition together;
  for (std::size_t t = 0; t < guard.tests.size(); ++t) {
    Block stays = guard.body;
    if (guard.at_end || t + 1 < guard.tests.size()) {
      for (Block successor : llvm::successors(guard.tests[t])) {
        if (loop.contains(successor)) stays = successor;
      }
    }
    const Condition one = edge(guard.tests[t], stays);
    for (const std::size_t index : one.unsigned_less) {
      together.unsigned_less.insert(together.all.size() + index);
    }
    together.all.insert(together.all.end(), one.all.begin(), one.all.end());
    together.exact = together.exact && one.exact;
  }
  return together;
}

void Structure::loop(const llvm::Loop& loop, const Region& outer, Body& out) {
  const Guard guard = guard_of(loop, outer);
  must_end(loop);
  const llvm::Loop* around = current_;
  counting::Loop read;
  LoopExits exits;
  std::vector<const llvm::PHINode*> phis;
  read.at = location_of(loop);
  read.id = number_of(loop, numbers_);
  read.tested_at_end = guard.at_end;
  read.schedule = schedule_of(loop);
  read.frequency = {sites_.iterations(loop).name(), sites_.loop(loop).name()};
  for (const llvm::PHINode& phi : loop.getHeader()->phis()) {
    if (!Values::counts(phi)) continue;
    const std::string name = counter_name(phi);
    const Expr start = values_.of(*phi.getIncomingValueForBlock(loop.getLoopPreheader()));
    counting::Variable variable{reading_.fresh(name, &loop), start, 0,
                                reading_.fresh(name + "_end", around)};
    exits.at_last_test[variable.symbol.get_name()] = variable.exit;
    values_.define(phi, variable.symbol);
    if (read.name.empty()) read.name = name;
    read.variables.push_back(variable);
    phis.push_back(&phi);
  }
  exits.tests.insert(guard.tests.begin(), guard.tests.end());
  current_ = &loop;
  const Region region(function_, loops_, dominators_, &loop);
  Arrival next;
  Condition condition;
  if (guard.at_end) {
    next = emit(region, loop.getHeader(), nullptr, nullptr, read.body);
    condition = guard_condition(guard, loop);
  } else {
    for (Block test : guard.tests) straight(test, read.body);
    condition = guard_condition(guard, loop);
    next = emit(region, guard.body, guard.tests.back(), nullptr, read.body);
  }
  for (std::size_t v = 0; v < phis.size(); ++v) {
    const auto found = next.find(phis[v]);
    read.variables[v].next = found != next.end()
                                 ? found->second
                                 : Expr(reading_.datum(plain_name(*phis[v]), read.at, "", &loop));
  }
  read.ends_early = guard.ends_early || !condition.exact;
  add_guard(condition, loop, reading_, read);
  read.up_to_scalars = is_up_to_scalars(read, loop, reading_);
  current_ = around;
  values_.leave(loop, exits);
  out.push_back({read});
  if (!guard.at_end) last_tests(guard, out);
}

// How OpenMP's threads share the loop.
std::optional<counting::Schedule> Structure::schedule_of(const llvm::Loop& loop) {
  const llvm::CallBase* marker = shared_loop(loop);
  if (marker == nullptr) return std::nullopt;
  counting::Schedule schedule;
  const auto number = llvm::cast<llvm::ConstantInt>(marker->getArgOperand(0))->getZExtValue();
  if (number == 33) {
    schedule.chunk = values_.of(*marker->getArgOperand(1));
  } else if (number == 35 || number == 36) {
    schedule.division = number == 35 ? counting::Division::dynamic : counting::Division::guided;
    schedule.chunk = values_.of(*marker->getArgOperand(1));
  }
  return schedule;
}

// The guard is evaluated once more than the body runs: its first block at least.
void Structure::last_tests(const Guard& guard, Body& out) {
  statement(guard.tests.front(), out);
  for (std::size_t t = 1; t < guard.tests.size(); ++t) {
    counting::Branch maybe;
    maybe.paths.push_back({{}, true, {}});
    statement(guard.tests[t], maybe.paths.front().body);
    if (!maybe.paths.front().body.empty()) out.push_back({maybe});
  }
}

}  // namespace redblue::frontend::llvm_ir
