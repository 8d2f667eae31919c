// SPDX-License-Identifier: BSD-3-Clause
#include "frontend/llvm/module/prepare.hpp"

#include <llvm/ADT/SCCIterator.h>
#include <llvm/Analysis/CallGraph.h>
#include <llvm/Analysis/InlineCost.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/Scalar/InstSimplifyPass.h>
#include <llvm/Transforms/Scalar/LowerExpectIntrinsic.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/CallPromotionUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/FixIrreducible.h>
#include <llvm/Transforms/Utils/LCSSA.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/LowerInvoke.h>

#include <algorithm>
#include <array>
#include <set>
#include <vector>

#include "frontend/llvm/ir/names.hpp"
#include "frontend/llvm/module/nests.hpp"

namespace redblue::frontend::llvm_ir {

namespace {

// A function longer than this takes in no more calls; they are counted as calls.
constexpr std::size_t longest_function = 200000;

// LLVM's analyses need each other; the order of destruction is that of declaration, reversed.
struct Passes {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  Passes() {
    llvm::PassBuilder builder;
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(components);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, components, modules);
  }
};

// Neither speculates nor merges what stands in several places: operations stay where they were.
llvm::SimplifyCFGOptions as_written() {
  return llvm::SimplifyCFGOptions().speculateBlocks(false).bonusInstThreshold(0);
}

void to_registers(llvm::Function& function, Purpose purpose) {
  if (purpose == Purpose::to_bound) {
    split_records(function);
    hold_reals(function, true);
  }
  Passes passes;
  llvm::FunctionPassManager manager;
  manager.addPass(llvm::LowerInvokePass());
  manager.addPass(llvm::LowerExpectIntrinsicPass());
  manager.addPass(llvm::SROAPass(llvm::SROAOptions::PreserveCFG));
  manager.addPass(llvm::InstSimplifyPass());
  manager.addPass(llvm::SimplifyCFGPass(as_written()));
  manager.run(function, passes.functions);
  if (purpose != Purpose::to_bound) return;
  hold_reals(function, false);
  reals_to_memory(function);
}

// Numbers computed from others, which may be computed where nobody needs them.
bool is_arithmetic(const llvm::BasicBlock& block) {
  return std::all_of(block.begin(), block.end(), [](const llvm::Instruction& i) {
    if (i.isTerminator()) return true;
    return !llvm::isa<llvm::PHINode>(i) && i.getType()->isIntegerTy() && !i.mayReadFromMemory() &&
           llvm::isSafeToSpeculativelyExecute(&i);
  });
}

llvm::BranchInst* choice_at(llvm::BasicBlock& block) {
  auto* end = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
  return end != nullptr && end->isConditional() ? end : nullptr;
}

// `c ? a : b` at the end of a block, written with branches, as a select; true if there was one.
bool fold_choice(llvm::BasicBlock& block) {
  llvm::BranchInst* end = choice_at(block);
  if (end == nullptr) return false;
  llvm::BasicBlock* join = nullptr;
  for (llvm::BasicBlock* side : end->successors()) {
    const bool is_side = side->getSinglePredecessor() == &block && side->getSingleSuccessor();
    if (is_side && is_arithmetic(*side)) join = side->getSingleSuccessor();
  }
  if (join == nullptr || !join->hasNPredecessors(2)) return false;
  std::array<llvm::BasicBlock*, 2> from{};  // where join is entered from, by true and false
  for (unsigned s = 0; s < 2; ++s) {
    llvm::BasicBlock* side = end->getSuccessor(s);
    from.at(s) = side == join ? &block : side;
    if (side == join) continue;
    if (side->getSinglePredecessor() != &block || side->getSingleSuccessor() != join ||
        !is_arithmetic(*side)) {
      return false;
    }
  }
  for (llvm::BasicBlock* side : from) {
    if (side == &block) continue;
    while (&side->front() != side->getTerminator()) side->front().moveBefore(end);
  }
  for (llvm::PHINode& phi : llvm::make_early_inc_range(join->phis())) {
    llvm::Value* chosen =
        llvm::SelectInst::Create(end->getCondition(), phi.getIncomingValueForBlock(from[0]),
                                 phi.getIncomingValueForBlock(from[1]), "", end->getIterator());
    chosen->takeName(&phi);
    phi.replaceAllUsesWith(chosen);
    phi.eraseFromParent();
  }
  llvm::BranchInst::Create(join, end->getIterator());
  end->eraseFromParent();
  for (llvm::BasicBlock* side : from) {
    if (side != &block) llvm::DeleteDeadBlock(side);
  }
  llvm::MergeBlockIntoPredecessor(join);
  return true;
}

// `a || b` and `a && b` at the end of a block, as one condition; true if there was one.
bool fold_condition(llvm::BasicBlock& block) {
  constexpr unsigned any_length = 100;
  llvm::BranchInst* end = choice_at(block);
  if (end == nullptr) return false;
  for (llvm::BasicBlock* next : end->successors()) {
    llvm::BranchInst* other = choice_at(*next);
    if (other != nullptr && next->getSinglePredecessor() == &block && is_arithmetic(*next) &&
        llvm::FoldBranchToCommonDest(other, nullptr, nullptr, nullptr, any_length)) {
      return true;
    }
  }
  return false;
}

// Guards that compute a bound first, `j < (i == 1 ? m - 1 : m)`, in one block, that their loop
// begins with; what of it no iteration changes, before the loop.
void gather_guards(llvm::Function& function) {
  for (bool again = true; again;) {
    again = false;
    llvm::DominatorTree dominators(function);
    const llvm::LoopInfo loops(dominators);
    for (llvm::Loop* loop : loops.getLoopsInPreorder()) {
      llvm::BasicBlock* header = loop->getHeader();
      if (loop->isLoopExiting(header) || choice_at(*header) == nullptr) continue;
      again = fold_choice(*header) || fold_condition(*header);
      if (again) break;  // other blocks than the analysis has
    }
  }
}

void move_choices_out(llvm::Function& function) {
  llvm::DominatorTree dominators(function);
  const llvm::LoopInfo loops(dominators);
  for (llvm::Loop* loop : loops.getLoopsInPreorder()) {
    std::vector<llvm::SelectInst*> choices;
    for (llvm::Instruction& instruction : *loop->getHeader()) {
      auto* choice = llvm::dyn_cast<llvm::SelectInst>(&instruction);
      if (choice != nullptr && choice->getType()->isIntegerTy()) choices.push_back(choice);
    }
    bool changed = false;
    for (llvm::SelectInst* choice : choices) loop->makeLoopInvariant(choice, changed);
  }
}

void to_simple_loops(llvm::Function& function) {
  gather_guards(function);
  Passes passes;
  llvm::FunctionPassManager manager;
  manager.addPass(llvm::FixIrreduciblePass());
  manager.addPass(llvm::LoopSimplifyPass());
  manager.addPass(llvm::LCSSAPass());
  manager.run(function, passes.functions);
  move_choices_out(function);
}

// Definitions callees first; those that call themselves, directly or not, are in `recursive`.
struct CallOrder {
  std::vector<llvm::Function*> functions;
  std::set<llvm::Function*> recursive;
};

CallOrder call_order(llvm::Module& module) {
  CallOrder order;
  llvm::CallGraph graph(module);
  for (auto component = llvm::scc_begin(&graph); !component.isAtEnd(); ++component) {
    for (llvm::CallGraphNode* node : *component) {
      llvm::Function* function = node->getFunction();
      if (function == nullptr || function->isDeclaration()) continue;
      order.functions.push_back(function);
      if (component.hasCycle()) order.recursive.insert(function);
    }
  }
  return order;
}

// The entry stays by itself where others call it: a Fortran program's main does.
void inline_calls(llvm::Function& function, const std::set<llvm::Function*>& recursive,
                  const llvm::Function& entry) {
  std::vector<llvm::CallBase*> calls;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    if (call == nullptr) continue;
    llvm::Function* callee = call->getCalledFunction();
    if (callee == nullptr || callee->isDeclaration() || callee == &function) continue;
    if (callee == &entry) continue;
    if (recursive.count(callee) != 0 || !llvm::isInlineViable(*callee).isSuccess()) continue;
    calls.push_back(call);
  }
  for (llvm::CallBase* call : calls) {
    const std::size_t together =
        function.getInstructionCount() + call->getCalledFunction()->getInstructionCount();
    if (together > longest_function) continue;
    llvm::InlineFunctionInfo info;
    llvm::InlineFunction(*call, info, false, nullptr, false);
  }
}

// Functions that a call through a pointer may mean: defined here, handed on as a pointer, of the
// call's type.
std::vector<llvm::Function*> meant_by(const llvm::CallBase& call, llvm::Module& module) {
  std::vector<llvm::Function*> meant;
  for (llvm::Function& function : module) {
    const bool fits = function.getFunctionType() == call.getFunctionType();
    if (fits && !function.isDeclaration() && function.hasAddressTaken() &&
        llvm::isLegalToPromote(call, &function)) {
      meant.push_back(&function);
    }
  }
  return meant;
}

// The entry and all functions defined here that are still called from it, or handed on.
std::vector<llvm::Function*> reached_from(llvm::Function& entry) {
  std::vector<llvm::Function*> reached{&entry};
  for (std::size_t next = 0; next < reached.size(); ++next) {
    for (llvm::Instruction& instruction : llvm::instructions(*reached[next])) {
      for (llvm::Value* operand : instruction.operands()) {
        auto* function = llvm::dyn_cast<llvm::Function>(operand->stripPointerCasts());
        if (function == nullptr || function->isDeclaration()) continue;
        if (std::find(reached.begin(), reached.end(), function) == reached.end())
          reached.push_back(function);
      }
    }
  }
  return reached;
}

// `(*f)(x)` becomes `if (f == a) a(x); else if (f == b) b(x); else (*f)(x);` for the few functions
// that f may be; where the program is not to run, the last of them stands for all others.
std::vector<std::string> name_called_functions(llvm::Module& module, llvm::Function& entry,
                                               Purpose purpose) {
  constexpr std::size_t most = 4;
  std::vector<llvm::CallBase*> calls;
  for (llvm::Function& function : module) {
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
      if (call != nullptr && call->isIndirectCall() && !call->isMustTailCall()) {
        calls.push_back(call);
      }
    }
  }
  const std::vector<llvm::Function*> reached = reached_from(entry);
  std::vector<std::string> assumed;
  for (llvm::CallBase* call : calls) {
    const std::vector<llvm::Function*> meant = meant_by(*call, module);
    if (meant.empty() || meant.size() > most) continue;
    std::string names;
    for (llvm::Function* function : meant) {
      names += (names.empty() ? "" : ", ") + source_name(*function);
      const bool is_last = function == meant.back() && purpose != Purpose::to_run;
      if (is_last) {
        llvm::promoteCall(*call, function);
      } else {
        llvm::promoteCallWithIfThenElse(*call, function);
      }
    }
    const bool is_ours =
        std::find(reached.begin(), reached.end(), call->getFunction()) != reached.end();
    if (!is_ours || names.starts_with(".")) continue;  // the compiler's own functions have a dot
    assumed.push_back("what is called through a pointer at " + place_of(location_of(*call)) +
                      " is " + (meant.size() > 1 ? "one of " : "") + names);
  }
  return assumed;
}

void allow_inlining(llvm::Function& function) {
  for (const auto attribute : {llvm::Attribute::OptimizeNone, llvm::Attribute::NoInline}) {
    function.removeFnAttr(attribute);
  }
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
      call->removeFnAttr(llvm::Attribute::NoInline);
    }
  }
}

}  // namespace

Prepared prepare(llvm::Module& module, llvm::Function& entry, Purpose purpose) {
  module.setIsNewDbgInfoFormat(true);
  name_variables(module);
  Prepared prepared;
  prepared.assumptions = name_called_functions(module, entry, purpose);
  const CallOrder order = call_order(module);
  for (llvm::Function* function : order.functions) {
    allow_inlining(*function);
    inline_calls(*function, order.recursive, entry);
    to_registers(*function, purpose);
  }
  prepared.functions = reached_from(entry);
  for (llvm::Function* function : prepared.functions) {
    to_simple_loops(*function);
    if (purpose == Purpose::to_bound) reals_to_memory(*function);
  }
  return prepared;
}

}  // namespace redblue::frontend::llvm_ir
