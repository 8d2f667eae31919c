// SPDX-License-Identifier: BSD-3-Clause
#include "frontend/llvm/structure/structure.hpp"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>

#include "frontend/llvm/ir/names.hpp"
#include "frontend/llvm/module/begun.hpp"
#include "frontend/llvm/module/openmp.hpp"
#include "frontend/llvm/structure/choices.hpp"
#include "frontend/llvm/values/operations.hpp"

namespace redblue::frontend::llvm_ir {

namespace {

using counting::Body;
using counting::Comparison;
using counting::Expr;
using counting::Relation;

// A block that several ways through conditions lead to is written out for each; beyond this, the
// way there counts as one that data choose.
constexpr int most_copies = 8;

// Who runs what `block` begins with the edge to `successor`; nobody but itself behind the other
// edge, which is empty.
std::optional<counting::Runner> begun_at(Block block, Block successor) {
  const auto* end = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
  if (end == nullptr || !end->isConditional()) return std::nullopt;
  const auto runner = runner_behind(*end->getCondition());
  if (!runner || end->getSuccessor(0) == successor) return runner;
  return counting::Runner::itself;
}

bool depends_on_data(const Condition& condition, const Reading& reading) {
  const auto varies = [&reading](const Expr& side) {
    return symbolic::any_symbol(side, [&reading](const counting::Symbol& symbol) {
      return reading.is_datum(symbol) && reading.scope_of(symbol) != nullptr;
    });
  };
  return std::any_of(condition.all.begin(), condition.all.end(),
                     [&](const Comparison& one) { return varies(one.left) || varies(one.right); });
}

std::vector<llvm::Loop*> loops_in(const llvm::LoopInfo& loops) {
  const auto all = loops.getLoopsInPreorder();
  return {all.begin(), all.end()};
}

}  // namespace

Structure::Structure(llvm::Function& function, const llvm::LoopInfo& loops,
                     const llvm::DominatorTree& dominators, Reading& reading, LoopNumbers& numbers,
                     BlockReader* blocks)
    : function_(function),
      loops_(loops),
      dominators_(dominators),
      sites_(function, loops_in(loops)),
      values_(function, loops, dominators, sites_, reading),
      reading_(reading),
      numbers_(numbers),
      blocks_(blocks) {}

counting::Function Structure::read(const std::string& name) {
  counting::Function read;
  read.name = name;
  if (name != reading_.program.main) {
    for (const llvm::Argument& argument : function_.args()) {
      const counting::Symbol symbol = reading_.fresh(plain_name(argument), nullptr);
      values_.define(argument, symbol);
      if (argument.getType()->isIntegerTy()) read.parameters.push_back(symbol);
    }
  }
  const Region region(function_, loops_, dominators_, nullptr);
  emit(region, &function_.getEntryBlock(), nullptr, nullptr, read.body);
  return read;
}

Structure::Arrival Structure::arrive(Block from, Block at) {
  Arrival arrival;
  if (from == nullptr || at == nullptr) return arrival;
  for (const llvm::PHINode& phi : at->phis()) {
    const int index = phi.getBasicBlockIndex(from);
    if (index < 0 || !Values::counts(phi)) continue;
    arrival[&phi] = values_.of(*phi.getIncomingValue(static_cast<unsigned>(index)));
  }
  return arrival;
}

// Everything from `from`, which control reaches from `before`, up to `stop`.
Structure::Arrival Structure::emit(const Region& region, Block from, Block before, Block stop,
                                   Body& out) {
  Block node = from, last = before;
  const auto at_end = [&]() -> Block {
    return region.loop() == nullptr ? nullptr : region.loop()->getHeader();
  };
  while (node != stop) {
    ++visits_[node];
    const llvm::Loop* inner = region.inner(node);
    if (inner != nullptr) {
      loop(*inner, region, out);
    } else {
      straight(node, out);
    }
    const std::vector<Block>& next = region.next(node);
    last = inner == nullptr ? node : nullptr;
    if (next.size() > 1) {
      Block join = region.join(node);
      const Arrival arrival = branch(region, node, join, out);
      if (join == stop) return arrival;
      for (const auto& [phi, value] : arrival) values_.define(*phi, value);
      node = join;
      last = nullptr;
      continue;
    }
    if (next.empty()) return {};
    if (leaves(region, node) && next.front() != stop) {
      return unless_left(region, node, next.front(), stop, out);
    }
    node = next.front();
    if (node != stop && last != nullptr) {
      // One way leads here unless others were left out: those that never go on.
      for (const auto& [phi, value] : arrive(last, node)) {
        if (phi->getNumIncomingValues() > 1) values_.define(*phi, value);
      }
    }
  }
  return arrive(last, stop == nullptr ? at_end() : stop);
}

// Whether control may leave the region's loop at the block, or from within the loop inside.
bool Structure::leaves(const Region& region, Block node) const {
  if (region.loop() == nullptr) return false;
  const auto leaves_at = [&](Block block) {
    return std::any_of(llvm::succ_begin(block), llvm::succ_end(block), [&](Block successor) {
      return !region.loop()->contains(successor) && may_return(successor);
    });
  };
  const llvm::Loop* inner = region.inner(node);
  if (inner == nullptr) return leaves_at(node);
  return std::any_of(inner->block_begin(), inner->block_end(), leaves_at);
}

// What a run counts each time control comes to the node.
std::string Structure::reached(const Region& region, Block node) const {
  const llvm::Loop* inner = region.inner(node);
  return (inner != nullptr ? sites_.loop(*inner) : sites_.block(*node)).name();
}

Structure::Arrival Structure::unless_left(const Region& region, Block node, Block next, Block stop,
                                          Body& out) {
  counting::Branch rest;
  rest.at = location_of(*node->getTerminator());
  const bool is_loop = region.inner(node) != nullptr;
  const Condition condition = is_loop ? Condition{{}, false, {}} : edge(node, next);
  rest.paths.push_back({condition.all, !condition.exact, {}});
  rest.paths.front().frequency = {next == nullptr
                                      ? sites_.edge(*node, *region.loop()->getHeader()).name()
                                      : reached(region, next),
                                  reached(region, node)};
  const Arrival arrival =
      emit(region, next, is_loop ? nullptr : node, stop, rest.paths.front().body);
  out.push_back({rest});
  return arrival;
}

Structure::Arrival Structure::branch(const Region& region, Block node, Block join, Body& out) {
  counting::Branch branch;
  branch.at = location_of(*node->getTerminator());
  std::vector<Arrival> arrivals;
  const bool is_loop = region.inner(node) != nullptr;
  for (Block next : region.next(node)) {
    if (visits_[next] > most_copies) return tangled(region, node, join, out);
  }
  for (Block next : region.next(node)) {
    Block to = next == nullptr && region.loop() != nullptr ? region.loop()->getHeader() : next;
    const auto runner = is_loop ? std::nullopt : begun_at(node, to);
    std::vector<Condition> ways = runner    ? std::vector<Condition>{{}}
                                  : is_loop ? std::vector<Condition>{{{}, false, {}}}
                                            : edges(node, to);
    // Where data choose each of several ways, they are one that data choose.
    const bool by_data = std::all_of(ways.begin(), ways.end(), [this](const Condition& way) {
      return !way.exact || depends_on_data(way, reading_);
    });
    if (ways.size() > 1 && by_data) ways.assign(1, Condition{{}, false, {}});
    for (const Condition& condition : ways) {
      Body inside;
      arrivals.push_back(emit(region, next, is_loop ? nullptr : node, join, inside));
      branch.paths.push_back({condition.all,
                              !condition.exact,
                              std::move(inside),
                              runner.value_or(counting::Runner::itself),
                              {}});
      if (ways.size() > 1 || to == nullptr || (is_loop && next == nullptr)) continue;
      branch.paths.back().frequency = {
          is_loop ? reached(region, to) : sites_.edge(*node, *to).name(), reached(region, node)};
    }
  }
  Block phis = join == nullptr && region.loop() != nullptr ? region.loop()->getHeader() : join;
  const Arrival merged = merge(branch, arrivals, phis);
  const bool empty = branch.merged.empty() &&
                     std::all_of(branch.paths.begin(), branch.paths.end(),
                                 [](const counting::Path& path) { return path.body.empty(); });
  if (!empty) out.push_back({branch});
  return merged;
}

Structure::Arrival Structure::merge(counting::Branch& branch, const std::vector<Arrival>& arrivals,
                                    Block join) {
  Arrival merged;
  if (join == nullptr) return merged;
  for (const llvm::PHINode& phi : join->phis()) {
    std::vector<Expr> values;
    for (const Arrival& arrival : arrivals) {
      const auto value = arrival.find(&phi);
      if (value != arrival.end()) values.push_back(value->second);
    }
    if (values.empty() || values.size() != arrivals.size()) continue;
    const bool one = std::all_of(values.begin(), values.end(),
                                 [&](const Expr& value) { return value.is_equal(values.front()); });
    if (one) {
      merged[&phi] = values.front();
    } else if (const auto known = extreme(branch, values)) {
      merged[&phi] = *known;
    } else if (const auto general = most_general(branch, values)) {
      merged[&phi] = *general;
    } else if (const auto pointer = pointer_unless_null(phi, values)) {
      merged[&phi] = *pointer;
    } else {
      const counting::Symbol symbol = reading_.fresh(plain_name(phi), current_);
      branch.merged.push_back({symbol, values});
      merged[&phi] = symbol;
    }
  }
  return merged;
}

// Each block between once, under a condition that data decide: no more than that is known where
// the ways through are too many to be written out.
Structure::Arrival Structure::tangled(const Region& region, Block node, Block join, Body& out) {
  for (Block block : region.between(node, join)) {
    counting::Branch maybe;
    maybe.at = location_of(*block->getTerminator());
    maybe.paths.push_back({{}, true, {}});
    maybe.paths.front().frequency = {reached(region, block), reached(region, node)};
    Body& inside = maybe.paths.front().body;
    if (const llvm::Loop* inner = region.inner(block)) {
      loop(*inner, region, inside);
    } else {
      straight(block, inside);
    }
    if (!inside.empty()) out.push_back({maybe});
  }
  Arrival arrival;
  Block phis = join == nullptr && region.loop() != nullptr ? region.loop()->getHeader() : join;
  if (phis == nullptr) return arrival;
  for (const llvm::PHINode& phi : phis->phis()) {
    if (!Values::counts(phi)) continue;
    arrival[&phi] = reading_.datum(plain_name(phi), location_of(phi), plain_name(phi), current_);
  }
  return arrival;
}

Condition Structure::edge(Block block, Block successor) {
  const std::vector<Condition> ways = edges(block, successor);
  if (ways.size() == 1) return ways.front();
  const auto* branch = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
  if (branch != nullptr) {
    return values_.when(*branch->getCondition(), branch->getSuccessor(0) == successor);
  }
  return {{}, false, {}};
}

std::vector<Condition> Structure::edges(Block block, Block successor) {
  const llvm::Instruction& end = *block->getTerminator();
  if (const auto* branch = llvm::dyn_cast<llvm::BranchInst>(&end)) {
    if (!branch->isConditional() || branch->getSuccessor(0) == branch->getSuccessor(1)) return {{}};
    return values_.ways(*branch->getCondition(), branch->getSuccessor(0) == successor);
  }
  const auto* choice = llvm::dyn_cast<llvm::SwitchInst>(&end);
  if (choice == nullptr) return {{{}, false, {}}};
  const Expr value = values_.of(*choice->getCondition());
  std::vector<Condition> ways;
  Condition others;
  for (const auto& one : choice->cases()) {
    const Expr number = values_.of(*one.getCaseValue());
    if (one.getCaseSuccessor() == successor) {
      ways.push_back({{{value, Relation::equal, number}}, true, {}});
    } else {
      others.all.push_back({value, Relation::not_equal, number});
    }
  }
  if (choice->getDefaultDest() == successor) {
    // Cases that lead there, too, are among the others.
    ways.assign(1, others);
  } else if (ways.size() > static_cast<std::size_t>(most_copies)) {
    ways.assign(1, {{}, false, {}});
  }
  return ways;
}

void Structure::statement(Block block, Body& out) {
  if (blocks_ != nullptr) return blocks_->read(*block, values_, out);
  counting::Statement statement;
  statement.operations = operations_of(*block);
  if (is_empty(statement.operations)) return;
  for (const llvm::Instruction& instruction : *block) {
    if (!instruction.getDebugLoc()) continue;
    statement.at = location_of(instruction);
    break;
  }
  if (statement.at.line == 0) statement.at = location_of(*block->getTerminator());
  out.push_back({statement});
}

void Structure::straight(Block block, Body& out) {
  for (const llvm::Instruction& instruction : *block) {
    if (const auto* select = llvm::dyn_cast<llvm::SelectInst>(&instruction)) choose(*select, out);
    if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) element(*load, out);
    const auto* called = llvm::dyn_cast<llvm::CallBase>(&instruction);
    if (called != nullptr && !llvm::isa<llvm::IntrinsicInst>(called)) call(*called, out);
  }
  statement(block, out);
}

void Structure::choose(const llvm::SelectInst& select, Body& out) {
  if (!Values::counts(select) || select.getType()->isIntegerTy(1)) return;
  counting::Branch branch;
  branch.at = location_of(select);
  std::vector<Expr> values;
  for (const bool holds : {true, false}) {
    const Expr value = values_.of(holds ? *select.getTrueValue() : *select.getFalseValue());
    for (const Condition& condition : values_.ways(*select.getCondition(), holds)) {
      branch.paths.push_back({condition.all, !condition.exact, {}});
      values.push_back(value);
    }
  }
  if (values.front().is_equal(values.back())) return values_.define(select, values.front());
  if (const auto known = extreme(branch, values)) return values_.define(select, *known);
  const counting::Symbol symbol = reading_.fresh(plain_name(select), current_);
  branch.merged.push_back({symbol, values});
  out.push_back({branch});
  values_.define(select, symbol);
}

void Structure::call(const llvm::CallBase& called, Body& out) {
  const llvm::Function* callee = called.getCalledFunction();
  if (callee == nullptr) {
    reading_.assume("what is called through a pointer at " + place_of(location_of(called)) +
                    " is not counted");
    return;
  }
  if (callee->isDeclaration()) {
    const llvm::StringRef name = callee->getName();
    if (name == "__kmpc_omp_task" || name == "pthread_create") {
      reading_.assume(
          "what " + std::string(name == "pthread_create" ? "the thread" : "the task") +
          " begun at " + place_of(location_of(called)) + " does is not counted" +
          (name == "pthread_create" ? " (--size and --rank would name the threads)" : ""));
    }
    if (!name.starts_with("redblue.")) reading_.outside(source_name(*callee));
    return;
  }
  counting::Call call;
  call.at = location_of(called);
  call.function = callee->getName().str();
  for (const llvm::Value* argument : called.args()) {
    if (argument->getType()->isIntegerTy()) call.arguments.push_back(values_.of(*argument));
  }
  if (called.getType()->isIntegerTy()) {
    call.result = reading_.fresh(source_name(*callee), current_);
    values_.define(called, *call.result);
  }
  out.push_back({call});
}

}  // namespace redblue::frontend::llvm_ir
