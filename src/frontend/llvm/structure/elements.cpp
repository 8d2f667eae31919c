// SPDX-License-Identifier: BSD-3-Clause
#include "frontend/llvm/structure/elements.hpp"

#include <llvm/IR/CFG.h>
#include <llvm/IR/Module.h>

#include <algorithm>

#include "frontend/llvm/ir/names.hpp"
#include "frontend/llvm/structure/choices.hpp"
#include "frontend/llvm/structure/structure.hpp"

namespace redblue::frontend::llvm_ir {

namespace {

using counting::Body;
using counting::Comparison;
using counting::Expr;

// More ways through a loop's body than this are not told apart.
constexpr std::size_t most_ways = 8;

// What control meets from a block to the end of its iteration; nullopt where that is not known.
using Ways = std::optional<std::vector<FillingWay>>;

class Filler {
 public:
  Filler(const llvm::Loop& loop, const llvm::LoopInfo& loops,
         std::vector<const llvm::StoreInst*> stores)
      : loop_(loop), loops_(loops), stores_(std::move(stores)) {}

  // A way that stores nothing has a null store.
  Ways from(Block block) const {
    if (loops_.getLoopFor(block) != &loop_) return std::nullopt;
    std::vector<const llvm::StoreInst*> here;
    for (const llvm::StoreInst* store : stores_) {
      if (store->getParent() == block) here.push_back(store);
    }
    if (here.size() > 1) return std::nullopt;
    std::vector<Block> next;
    for (Block successor : llvm::successors(block)) {
      const bool goes_on = loop_.contains(successor) && successor != loop_.getHeader();
      if (goes_on) next.push_back(successor);
    }
    std::vector<FillingWay> ways;
    if (next.empty()) ways.push_back({});
    for (Block successor : next) {
      const Ways rest = from(successor);
      if (!rest) return std::nullopt;
      for (FillingWay way : *rest) {
        if (next.size() > 1) way.steps.insert(way.steps.begin(), {block, successor});
        ways.push_back(std::move(way));
      }
    }
    const bool same = std::all_of(ways.begin(), ways.end(), [&ways](const FillingWay& way) {
      return way.store == ways.front().store;
    });
    if (same) ways = {{{}, ways.front().store}};
    if (ways.size() > most_ways) return std::nullopt;
    if (here.empty()) return ways;
    // Two stores one after the other may be to different elements.
    if (!same || ways.front().store != nullptr) return std::nullopt;
    return {{{{}, here.front()}}};
  }

 private:
  const llvm::Loop& loop_;
  const llvm::LoopInfo& loops_;
  std::vector<const llvm::StoreInst*> stores_;
};

bool holds_nothing_at_first(const llvm::Value& object, const llvm::Function& function,
                            const llvm::LoopInfo& loops) {
  if (llvm::isa<llvm::AllocaInst>(object)) return true;
  if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&object)) {
    const llvm::Function* callee = call->getCalledFunction();
    if (callee == nullptr || loops.getLoopFor(call->getParent()) != nullptr) return false;
    const llvm::StringRef name = callee->getName();
    return name == "malloc" || name == "_Znwm" || name == "_Znam";
  }
  // Fortran gives variables no values of its own.
  const auto* global = llvm::dyn_cast<llvm::GlobalVariable>(&object);
  return global != nullptr && !global->isConstant() && function.getName() == fortran_main &&
         global->hasInitializer() && global->getInitializer()->isNullValue();
}

}  // namespace

std::optional<Filling> filling_of(const llvm::LoadInst& load, const Memory& memory,
                                  const llvm::LoopInfo& loops,
                                  const llvm::DominatorTree& dominators) {
  const std::vector<Place> places = memory.places(*load.getPointerOperand());
  if (places.size() != 1 || places.front().offset) return std::nullopt;
  const Place anywhere = places.front();
  const llvm::Value* object = memory.object(anywhere);
  if (object == nullptr || !holds_nothing_at_first(*object, *load.getFunction(), loops)) {
    return std::nullopt;
  }
  Filling filling;
  std::vector<const llvm::StoreInst*> stores;
  for (const llvm::Instruction* writer : memory.writers(anywhere, 0)) {
    const auto* store = llvm::dyn_cast<llvm::StoreInst>(writer);
    const bool whole = store != nullptr && store->getValueOperand()->getType() == load.getType() &&
                       memory.places(*store->getPointerOperand()).size() == 1;
    if (!whole) return std::nullopt;
    const llvm::Loop* loop = loops.getLoopFor(store->getParent());
    if (loop == nullptr || (filling.loop != nullptr && filling.loop != loop)) return std::nullopt;
    filling.loop = loop;
    stores.push_back(store);
  }
  const llvm::Loop* loop = filling.loop;
  if (loop == nullptr || loop->getParentLoop() != nullptr || loop->contains(load.getParent()) ||
      !dominators.dominates(loop->getHeader(), load.getParent())) {
    return std::nullopt;
  }
  const llvm::BasicBlock* end = loop->getExitingBlock();
  if (end == nullptr || (end != loop->getHeader() && end != loop->getLoopLatch())) {
    return std::nullopt;
  }
  const Ways ways = Filler(*loop, loops, stores).from(loop->getHeader());
  if (!ways) return std::nullopt;
  for (const FillingWay& way : *ways) {
    if (way.store != nullptr) filling.ways.push_back(way);
  }
  if (filling.ways.empty()) return std::nullopt;
  return filling;
}

// The loop's variable that tells elements apart, if formulas have one; it takes no value twice.
std::optional<counting::Symbol> Structure::subscript(const llvm::Loop& loop,
                                                     const std::vector<Expr>& formulas,
                                                     bool& is_known) {
  std::optional<counting::Symbol> found;
  for (const Expr& formula : formulas) {
    for (auto part = formula.preorder_begin(); part != formula.preorder_end(); ++part) {
      if (!GiNaC::is_a<GiNaC::symbol>(*part)) continue;
      const auto& symbol = GiNaC::ex_to<GiNaC::symbol>(*part);
      const llvm::Loop* scope = reading_.scope_of(symbol);
      if (scope == nullptr || !loop.contains(scope)) continue;
      if (found && !found->is_equal(symbol)) is_known = false;
      found = symbol;
    }
  }
  if (!found) return found;
  const auto counts_on = [&](const llvm::PHINode& phi) {
    if (!Values::counts(phi) || !values_.of(phi).is_equal(*found)) return false;
    const Expr step =
        (values_.of(*phi.getIncomingValueForBlock(loop.getLoopLatch())) - *found).expand();
    return GiNaC::is_a<GiNaC::numeric>(step) && !step.is_zero();
  };
  const auto phis = loop.getHeader()->phis();
  is_known = is_known && std::any_of(phis.begin(), phis.end(), counts_on);
  return found;
}

// The conditions of a way through the loop's body, each by itself; empty where data decide, too.
std::vector<Condition> Structure::conditions(const FillingWay& way) {
  std::vector<Condition> together{{}};
  for (const Step& step : way.steps) {
    std::vector<Condition> longer;
    for (const Condition& before : together) {
      for (const Condition& one : edges(step.from, step.to)) {
        if (!one.exact || longer.size() == most_ways) return {};
        longer.push_back(before);
        longer.back().all.insert(longer.back().all.end(), one.all.begin(), one.all.end());
      }
    }
    together = std::move(longer);
  }
  return together;
}

// The element at address a + c k is the one that iteration k = (address - a) / c wrote. What stands
// for k in the formulas of the loop; nothing where they have no k; nullopt where that is not known.
std::optional<GiNaC::exmap> Structure::iteration(const llvm::LoadInst& load, const Filling& filling,
                                                 const std::vector<Expr>& formulas) {
  bool is_known = true;
  const auto k = subscript(*filling.loop, formulas, is_known);
  if (!is_known) return std::nullopt;
  if (!k) return GiNaC::exmap{};
  const auto address = [this](const FillingWay& way) {
    return values_.of(*way.store->getPointerOperand());
  };
  const Expr there = address(filling.ways.front());
  const bool same =
      std::all_of(filling.ways.begin(), filling.ways.end(),
                  [&](const FillingWay& way) { return address(way).is_equal(there); });
  const auto in_address = subscript(*filling.loop, {there}, is_known);
  if (!is_known || !same || !in_address || !in_address->is_equal(*k)) return std::nullopt;
  if (!there.is_polynomial(*k) || there.degree(*k) != 1) return std::nullopt;
  const Expr step = there.coeff(*k, 1);
  if (!GiNaC::is_a<GiNaC::numeric>(step)) return std::nullopt;
  const Expr begin = there.coeff(*k, 0);
  const Expr number = ((values_.of(*load.getPointerOperand()) - begin) / step).expand();
  if (!symbolic::is_integer_valued(number)) return std::nullopt;
  return GiNaC::exmap{{*k, number}};
}

// Gives a load of an array's element the value that one loop has put there.
void Structure::element(const llvm::LoadInst& load, Body& out) {
  if (!load.getType()->isIntegerTy() || load.getType()->isIntegerTy(1)) return;
  const auto filling = filling_of(load, values_.memory(), loops_, dominators_);
  if (!filling) return;
  const auto read_once = [this](Block block) { return visits_[block] <= 1; };
  if (!std::all_of(filling->loop->block_begin(), filling->loop->block_end(), read_once)) return;

  counting::Branch branch;
  branch.at = location_of(load);
  std::vector<Expr> values, formulas;
  for (const FillingWay& way : filling->ways) {
    const std::vector<Condition> taken = conditions(way);
    if (taken.empty()) return;
    for (const Condition& condition : taken) {
      values.push_back(values_.of(*way.store->getValueOperand()));
      formulas.push_back(values.back());
      for (const Comparison& c : condition.all) formulas.insert(formulas.end(), {c.left, c.right});
      branch.paths.push_back({condition.all, false, {}});
    }
  }
  const auto here = iteration(load, *filling, formulas);
  if (!here) return;
  for (Expr& value : values) value = value.subs(*here);
  for (counting::Path& path : branch.paths) {
    for (Comparison& c : path.conditions) {
      c = {c.left.subs(*here), c.relation, c.right.subs(*here)};
    }
  }
  const Place array = values_.memory().places(*load.getPointerOperand()).front();
  const std::string name = variable_of(*values_.memory().object(array)).name;
  reading_.assume("elements of " + name + " that " + place_of(branch.at) +
                  " reads were written at " + place_of(location_of(*filling->ways.front().store)));
  if (values.size() == 1) return values_.define(load, values.front());
  if (const auto known = extreme(branch, values)) return values_.define(load, *known);
  const counting::Symbol symbol = reading_.fresh(name, current_);
  branch.merged.push_back({symbol, values});
  out.push_back({branch});
  values_.define(load, symbol);
}

}  // namespace redblue::frontend::llvm_ir
