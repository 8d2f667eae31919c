#include "frontend/llvm/prepare.hpp"

#include <llvm/ADT/SCCIterator.h>
#include <llvm/Analysis/CallGraph.h>
#include <llvm/Analysis/InlineCost.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/Scalar/InstSimplifyPass.h>
#include <llvm/Transforms/Scalar/LowerExpectIntrinsic.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/FixIrreducible.h>
#include <llvm/Transforms/Utils/LCSSA.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/LowerInvoke.h>

#include <algorithm>
#include <set>
#include <vector>

#include "frontend/llvm/names.hpp"

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

void to_registers(llvm::Function& function) {
  Passes passes;
  llvm::FunctionPassManager manager;
  manager.addPass(llvm::LowerInvokePass());
  manager.addPass(llvm::LowerExpectIntrinsicPass());
  manager.addPass(llvm::SROAPass(llvm::SROAOptions::PreserveCFG));
  manager.addPass(llvm::InstSimplifyPass());
  manager.addPass(llvm::SimplifyCFGPass(as_written()));
  manager.run(function, passes.functions);
}

void to_simple_loops(llvm::Function& function) {
  Passes passes;
  llvm::FunctionPassManager manager;
  manager.addPass(llvm::FixIrreduciblePass());
  manager.addPass(llvm::LoopSimplifyPass());
  manager.addPass(llvm::LCSSAPass());
  manager.run(function, passes.functions);
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

void inline_calls(llvm::Function& function, const std::set<llvm::Function*>& recursive) {
  std::vector<llvm::CallBase*> calls;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    if (call == nullptr) continue;
    llvm::Function* callee = call->getCalledFunction();
    if (callee == nullptr || callee->isDeclaration() || callee == &function) continue;
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

std::vector<llvm::Function*> prepare(llvm::Module& module, llvm::Function& entry) {
  module.setIsNewDbgInfoFormat(true);
  name_variables(module);
  const CallOrder order = call_order(module);
  for (llvm::Function* function : order.functions) {
    allow_inlining(*function);
    inline_calls(*function, order.recursive);
    to_registers(*function);
  }
  const std::vector<llvm::Function*> reached = reached_from(entry);
  for (llvm::Function* function : reached) to_simple_loops(*function);
  return reached;
}

}  // namespace redblue::frontend::llvm_ir
