// SPDX-License-Identifier: BSD-3-Clause
#include "frontend/llvm/module/openmp.hpp"

#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include <algorithm>
#include <vector>

namespace redblue::frontend::llvm_ir {

namespace {

constexpr unsigned static_chunked = 33;
constexpr const char* asking_loop_marker = "redblue.asking_loop";
constexpr unsigned without_modifiers = 0xffff;

std::vector<llvm::CallBase*> calls_of(llvm::Module& module, const std::string& prefix) {
  std::vector<llvm::CallBase*> calls;
  for (llvm::Function& function : module) {
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      if (call == nullptr || call->getCalledFunction() == nullptr) continue;
      if (call->getCalledFunction()->getName().starts_with(prefix)) calls.push_back(call);
    }
  }
  return calls;
}

// The runtime library's number, without hints about the order of parts.
unsigned schedule_of(const llvm::CallBase& init) {
  const auto* number = llvm::dyn_cast<llvm::ConstantInt>(init.getArgOperand(2));
  return number == nullptr ? 0 : static_cast<unsigned>(number->getZExtValue()) & without_modifiers;
}

void call_region(llvm::CallBase& fork) {
  llvm::Function* region = region_of(fork);
  if (region == nullptr || region->isDeclaration()) return;
  llvm::IRBuilder<> builder(&fork);
  llvm::IRBuilder<> entry(&*fork.getFunction()->getEntryBlock().getFirstInsertionPt());
  llvm::Value* thread = entry.CreateAlloca(builder.getInt32Ty());
  builder.CreateStore(builder.getInt32(0), thread);
  std::vector<llvm::Value*> arguments{thread, thread};
  for (unsigned a = 3; a < fork.arg_size(); ++a) arguments.push_back(fork.getArgOperand(a));
  if (arguments.size() != region->arg_size()) return;
  for (std::size_t a = 0; a < arguments.size(); ++a) {
    if (arguments[a]->getType() != region->getArg(static_cast<unsigned>(a))->getType()) return;
  }
  builder.CreateCall(region, arguments)->setDebugLoc(fork.getDebugLoc());
  fork.eraseFromParent();
}

// The first loop that control meets behind `call`, not counting one around it.
llvm::Loop* loop_behind(const llvm::CallBase& call, llvm::LoopInfo& loops,
                        const llvm::DominatorTree& dominators) {
  llvm::Loop* first = nullptr;
  for (llvm::Loop* loop : loops.getLoopsInPreorder()) {
    if (loop->contains(call.getParent())) continue;
    if (!dominators.dominates(call.getParent(), loop->getHeader())) continue;
    if (first == nullptr || dominators.dominates(loop->getHeader(), first->getHeader())) {
      first = loop;
    }
  }
  return first;
}

// The loop that asks for one part after the other runs once, over all.
void run_once(llvm::Loop& loop) {
  llvm::BasicBlock* header = loop.getHeader();
  auto* test = llvm::dyn_cast<llvm::BranchInst>(header->getTerminator());
  llvm::BasicBlock* exit = loop.getExitBlock();
  if (exit == nullptr) {
    for (llvm::BasicBlock* successor : llvm::successors(header)) {
      if (!loop.contains(successor)) exit = successor;
    }
  }
  if (test == nullptr || exit == nullptr) return;
  llvm::SmallVector<llvm::BasicBlock*> latches;
  loop.getLoopLatches(latches);
  for (llvm::BasicBlock* latch : latches) {
    latch->getTerminator()->replaceSuccessorWith(header, exit);
    for (llvm::PHINode& phi : exit->phis()) {
      phi.addIncoming(llvm::PoisonValue::get(phi.getType()), latch);
    }
  }
}

void mark(llvm::Loop& loop, const char* name, unsigned schedule, llvm::Value* chunk) {
  llvm::Module& module = *loop.getHeader()->getModule();
  llvm::IRBuilder<> builder(&*loop.getHeader()->getFirstInsertionPt());
  auto* number = builder.getInt64Ty();
  llvm::FunctionCallee marker =
      module.getOrInsertFunction(name, builder.getVoidTy(), number, number);
  llvm::cast<llvm::Function>(marker.getCallee())->setOnlyAccessesInaccessibleMemory();
  llvm::cast<llvm::Function>(marker.getCallee())->setDoesNotThrow();
  builder.CreateCall(marker,
                     {builder.getInt64(schedule), chunk == nullptr ? builder.getInt64(0) : chunk});
}

// A chunk computed outside of the loop, as a number of 64 bits made before it.
llvm::Value* wide(llvm::CallBase& at, llvm::Value* chunk) {
  return llvm::IRBuilder<>(&at).CreateSExt(chunk, llvm::Type::getInt64Ty(at.getContext()));
}

void make_visible_static(llvm::CallBase& init) {
  llvm::DominatorTree dominators(*init.getFunction());
  llvm::LoopInfo loops(dominators);
  llvm::Loop* loop = loop_behind(init, loops, dominators);
  if (loop == nullptr) return;
  const unsigned schedule = schedule_of(init);
  llvm::Loop* asking = nullptr;
  if (schedule == static_chunked && !loop->getSubLoops().empty()) {
    asking = loop;
    loop = loop->getSubLoops().back();
  }
  mark(*loop, shared_loop_marker, schedule, wide(init, init.getArgOperand(8)));
  if (asking != nullptr) run_once(*asking);
  init.eraseFromParent();
}

void make_visible_dynamic(llvm::CallBase& init) {
  llvm::DominatorTree dominators(*init.getFunction());
  llvm::LoopInfo loops(dominators);
  llvm::Loop* asking = loop_behind(init, loops, dominators);
  if (asking == nullptr || asking->getSubLoops().empty()) return;
  llvm::CallBase* next = nullptr;
  for (llvm::Instruction& instruction : *asking->getHeader()) {
    auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    if (call != nullptr && call->getCalledFunction() != nullptr &&
        call->getCalledFunction()->getName().starts_with("__kmpc_dispatch_next")) {
      next = call;
    }
  }
  if (next == nullptr) return;
  mark(*asking->getSubLoops().back(), shared_loop_marker, schedule_of(init),
       wide(init, init.getArgOperand(6)));
  llvm::IRBuilder<> builder(next);
  builder.CreateStore(init.getArgOperand(3), next->getArgOperand(3));
  builder.CreateStore(init.getArgOperand(4), next->getArgOperand(4));
  next->replaceAllUsesWith(llvm::ConstantInt::get(next->getType(), 1));
  next->eraseFromParent();
  run_once(*asking);
  init.eraseFromParent();
}

// The busiest thread does what only one does, and what only the first does.
void choose_this_thread(llvm::Module& module) {
  for (const char* name : {"__kmpc_single", "__kmpc_master", "__kmpc_masked", "__kmpc_reduce",
                           "__kmpc_reduce_nowait"}) {
    for (llvm::CallBase* call : calls_of(module, name)) {
      call->replaceAllUsesWith(llvm::ConstantInt::get(call->getType(), 1));
      call->eraseFromParent();
    }
  }
}

}  // namespace

std::vector<llvm::CallBase*> forks_of(llvm::Module& module) {
  return calls_of(module, "__kmpc_fork_call");
}

llvm::Function* region_of(const llvm::CallBase& fork) {
  return llvm::dyn_cast<llvm::Function>(fork.getArgOperand(2)->stripPointerCasts());
}

void mark_shared(llvm::Loop& loop, unsigned schedule) {
  llvm::IRBuilder<> builder(loop.getHeader()->getTerminator());
  mark(loop, shared_loop_marker, schedule, builder.getInt64(1));
}

bool succeed_at_once(llvm::Module& module) {
  bool found = false;
  for (llvm::Function& function : module) {
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      auto* result = llvm::dyn_cast<llvm::ExtractValueInst>(&instruction);
      if (result == nullptr || !result->getType()->isIntegerTy(1) ||
          !llvm::isa<llvm::AtomicCmpXchgInst>(result->getAggregateOperand()) ||
          !result->getParent()->getName().starts_with(".atomic.cont")) {
        continue;
      }
      result->replaceAllUsesWith(llvm::ConstantInt::getTrue(module.getContext()));
      found = true;
    }
  }
  return found;
}

bool make_shared_loops_visible(llvm::Module& module) {
  const std::vector<llvm::CallBase*> forks = forks_of(module);
  for (llvm::CallBase* call : calls_of(module, "__kmpc_for_static_init")) {
    make_visible_static(*call);
  }
  for (llvm::CallBase* call : calls_of(module, "__kmpc_dispatch_init")) {
    make_visible_dynamic(*call);
  }
  choose_this_thread(module);
  for (llvm::CallBase* fork : forks) call_region(*fork);
  return !forks.empty();
}

namespace {

const llvm::CallBase* marker_in(const llvm::Loop& loop, llvm::StringRef marker) {
  for (const llvm::Instruction& instruction : *loop.getHeader()) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    if (call != nullptr && call->getCalledFunction() != nullptr &&
        call->getCalledFunction()->getName() == marker) {
      return call;
    }
  }
  return nullptr;
}

}  // namespace

const llvm::CallBase* shared_loop(const llvm::Loop& loop) {
  return marker_in(loop, shared_loop_marker);
}

void mark_asking_loops(llvm::Module& module) {
  for (const char* name : {"__kmpc_for_static_init", "__kmpc_dispatch_init"}) {
    for (llvm::CallBase* call : calls_of(module, name)) {
      llvm::DominatorTree dominators(*call->getFunction());
      llvm::LoopInfo loops(dominators);
      llvm::Loop* loop = loop_behind(*call, loops, dominators);
      const bool asks = schedule_of(*call) == static_chunked ||
                        call->getCalledFunction()->getName().starts_with("__kmpc_dispatch");
      // As if all iterations took equally long: parts in turn.
      const bool on_demand = schedule_of(*call) == 35 || schedule_of(*call) == 36;
      if (on_demand) {
        call->setArgOperand(
            2, llvm::ConstantInt::get(call->getArgOperand(2)->getType(), static_chunked));
      }
      if (asks && loop != nullptr) mark(*loop, asking_loop_marker, 0, nullptr);
    }
  }
}

bool is_asking_loop(const llvm::Loop& loop) {
  return marker_in(loop, asking_loop_marker) != nullptr;
}

void share_nothing(llvm::Function& function) {
  std::vector<llvm::CallBase*> marks;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    if (call == nullptr || call->getCalledFunction() == nullptr) continue;
    if (call->getCalledFunction()->getName() == shared_loop_marker) marks.push_back(call);
  }
  for (llvm::CallBase* mark : marks) mark->eraseFromParent();
}

void remove_marks(llvm::Module& module) {
  for (const char* marker : {shared_loop_marker, asking_loop_marker}) {
    for (llvm::CallBase* call : calls_of(module, marker)) call->eraseFromParent();
  }
}

}  // namespace redblue::frontend::llvm_ir
