// SPDX-License-Identifier: BSD-3-Clause
#include "frontend/llvm/module/begun.hpp"

#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <algorithm>
#include <array>
#include <vector>

#include "frontend/llvm/module/openmp.hpp"

namespace redblue::frontend::llvm_ir {

namespace {

constexpr const char* thread_marker = "redblue.begun_thread";
constexpr const char* task_marker = "redblue.begun_task";

std::vector<llvm::CallBase*> calls_of(llvm::Module& module, llvm::StringRef name) {
  std::vector<llvm::CallBase*> calls;
  llvm::Function* function = module.getFunction(name);
  if (function == nullptr) return calls;
  for (llvm::User* user : function->users()) {
    auto* call = llvm::dyn_cast<llvm::CallBase>(user);
    if (call != nullptr && call->getCalledFunction() == function) calls.push_back(call);
  }
  return calls;
}

llvm::Function* defined_function(llvm::Value& value) {
  auto* function = llvm::dyn_cast<llvm::Function>(value.stripPointerCasts());
  return function == nullptr || function->isDeclaration() ? nullptr : function;
}

// Calls `body` before `at`, behind the marker's condition.
void call_behind(const char* marker, llvm::CallBase& at, llvm::Function& body,
                 const std::vector<llvm::Value*>& arguments) {
  llvm::Module& module = *at.getModule();
  llvm::IRBuilder<> builder(&at);
  llvm::FunctionCallee condition =
      module.getOrInsertFunction(marker, llvm::Type::getInt1Ty(module.getContext()));
  llvm::cast<llvm::Function>(condition.getCallee())->setOnlyAccessesInaccessibleMemory();
  llvm::cast<llvm::Function>(condition.getCallee())->setDoesNotThrow();
  llvm::CallInst* is_begun = builder.CreateCall(condition);
  is_begun->setDebugLoc(at.getDebugLoc());
  llvm::Instruction* inside = llvm::SplitBlockAndInsertIfThen(is_begun, &at, false);
  llvm::IRBuilder<> then(inside);
  then.CreateCall(&body, arguments)->setDebugLoc(at.getDebugLoc());
}

// One thread runs the block: it stands behind `single`, `master`, `masked`, or outside of the
// functions that all threads of a region run.
bool is_run_by_one(llvm::CallBase& call) {
  llvm::Function& function = *call.getFunction();
  if (!function.getName().contains(".omp_outlined")) return true;
  const llvm::DominatorTree dominators(function);
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    const auto* other = llvm::dyn_cast<llvm::CallBase>(&instruction);
    if (other == nullptr || other->getCalledFunction() == nullptr) continue;
    const llvm::StringRef name = other->getCalledFunction()->getName();
    const bool ends =
        name == "__kmpc_end_single" || name == "__kmpc_end_master" || name == "__kmpc_end_masked";
    const bool begins =
        name == "__kmpc_single" || name == "__kmpc_master" || name == "__kmpc_masked";
    if (ends && dominators.dominates(other, &call)) return false;
    if (begins && dominators.dominates(other, &call)) return true;
  }
  return false;
}

// The function that one call alone has as this argument is known inside, too.
void name_handed_functions(llvm::Function& function) {
  if (!function.hasOneUse()) return;
  auto* call = llvm::dyn_cast<llvm::CallBase>(function.user_back());
  if (call == nullptr || call->getCalledFunction() != &function) return;
  for (unsigned a = 0; a < call->arg_size(); ++a) {
    if (llvm::isa<llvm::Function>(call->getArgOperand(a))) {
      function.getArg(a)->replaceAllUsesWith(call->getArgOperand(a));
    }
  }
}

// What the runtime library allocates for a task, as local variables: the task with a pointer to
// what it shares in the beginning.
llvm::Value* local_task(llvm::CallBase& allocation) {
  const auto* bytes = llvm::dyn_cast<llvm::ConstantInt>(allocation.getArgOperand(3));
  const auto* shared = llvm::dyn_cast<llvm::ConstantInt>(allocation.getArgOperand(4));
  if (bytes == nullptr || shared == nullptr) return nullptr;
  llvm::IRBuilder<> entry(&*allocation.getFunction()->getEntryBlock().getFirstInsertionPt());
  const auto memory = [&entry](std::uint64_t size) {
    auto* place = entry.CreateAlloca(llvm::ArrayType::get(entry.getInt8Ty(), size));
    place->setAlignment(llvm::Align(16));
    return place;
  };
  llvm::Value* task = memory(bytes->getZExtValue());
  llvm::Value* variables = memory(std::max<std::uint64_t>(shared->getZExtValue(), 1));
  llvm::IRBuilder<>(&allocation).CreateStore(variables, task);
  return task;
}

// A task's iterations: the loop from the task's first to its last.
void share_iterations(llvm::Function& body) {
  llvm::DominatorTree dominators(body);
  const llvm::LoopInfo loops(dominators);
  if (!loops.empty()) mark_shared(**loops.rbegin(), shared_on_demand);
}

llvm::Function* outlined_of(llvm::Function& entry) {
  for (llvm::Instruction& instruction : llvm::instructions(entry)) {
    auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    if (call == nullptr || call->getCalledFunction() == nullptr) continue;
    if (call->getCalledFunction()->getName().starts_with(".omp_outlined"))
      return call->getCalledFunction();
  }
  return nullptr;
}

void call_task(llvm::CallBase& begin, bool is_loop) {
  auto* allocation = llvm::dyn_cast<llvm::CallBase>(begin.getArgOperand(2));
  if (allocation == nullptr || allocation->getCalledFunction() == nullptr ||
      allocation->getCalledFunction()->getName() != "__kmpc_omp_task_alloc" ||
      !is_run_by_one(begin)) {
    return;
  }
  llvm::Function* entry = defined_function(*allocation->getArgOperand(5));
  llvm::Function* outlined = entry == nullptr ? nullptr : outlined_of(*entry);
  llvm::Value* task = outlined == nullptr ? nullptr : local_task(*allocation);
  if (task == nullptr) return;
  name_handed_functions(*outlined);
  const std::vector<llvm::Value*> arguments{begin.getArgOperand(1), task};
  if (is_loop) {
    share_iterations(*outlined);
    llvm::IRBuilder<>(&begin).CreateCall(entry, arguments)->setDebugLoc(begin.getDebugLoc());
  } else {
    call_behind(task_marker, begin, *entry, arguments);
    begin.replaceAllUsesWith(llvm::ConstantInt::get(begin.getType(), 0));
  }
  begin.eraseFromParent();
  allocation->replaceAllUsesWith(task);
  allocation->eraseFromParent();
}

}  // namespace

bool call_threads(llvm::Module& module) {
  bool found = false;
  for (llvm::CallBase* create : calls_of(module, "pthread_create")) {
    llvm::Function* body = defined_function(*create->getArgOperand(2));
    if (body == nullptr || body->arg_size() != 1) continue;
    call_behind(thread_marker, *create, *body, {create->getArgOperand(3)});
    create->replaceAllUsesWith(llvm::ConstantInt::get(create->getType(), 0));
    create->eraseFromParent();
    found = true;
  }
  return found;
}

void call_tasks(llvm::Module& module) {
  for (llvm::CallBase* begin : calls_of(module, "__kmpc_omp_task")) call_task(*begin, false);
  for (llvm::CallBase* begin : calls_of(module, "__kmpc_taskloop")) call_task(*begin, true);
}

std::optional<counting::Runner> runner_behind(const llvm::Value& condition) {
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&condition);
  if (call == nullptr || call->getCalledFunction() == nullptr) return std::nullopt;
  const llvm::StringRef name = call->getCalledFunction()->getName();
  if (name == thread_marker) return counting::Runner::thread_each;
  if (name == task_marker) return counting::Runner::any_thread;
  return std::nullopt;
}

void divide_tasks(llvm::Module& module) {
  std::vector<llvm::Function*> entries;  // as they come in the module, so kinds keep their numbers
  for (llvm::CallBase* allocation : calls_of(module, "__kmpc_omp_task_alloc")) {
    llvm::Function* entry = defined_function(*allocation->getArgOperand(5));
    if (entry != nullptr && std::find(entries.begin(), entries.end(), entry) == entries.end())
      entries.push_back(entry);
  }
  auto* nothing = llvm::Type::getVoidTy(module.getContext());
  auto* number = llvm::Type::getInt32Ty(module.getContext());
  const llvm::FunctionCallee begin = module.getOrInsertFunction("redblue_begin_task", nothing);
  const llvm::FunctionCallee end = module.getOrInsertFunction("redblue_end_task", nothing, number);
  unsigned kind = 0;
  for (llvm::Function* entry : entries) {
    llvm::IRBuilder<>(&*entry->getEntryBlock().getFirstInsertionPt()).CreateCall(begin);
    for (llvm::BasicBlock& block : *entry) {
      if (!llvm::isa<llvm::ReturnInst>(block.getTerminator())) continue;
      llvm::IRBuilder<> builder(block.getTerminator());
      builder.CreateCall(end, {builder.getInt32(kind)});
    }
    ++kind;
  }
  for (llvm::CallBase* loop : calls_of(module, "__kmpc_taskloop")) {
    constexpr unsigned schedule = 8, tasks = 9;
    constexpr int by_number_of_tasks = 2;
    llvm::IRBuilder<> builder(loop);
    const llvm::FunctionCallee threads =
        module.getOrInsertFunction("omp_get_max_threads", builder.getInt32Ty());
    loop->setArgOperand(schedule, builder.getInt32(by_number_of_tasks));
    loop->setArgOperand(tasks,
                        builder.CreateZExt(builder.CreateCall(threads), builder.getInt64Ty()));
  }
}

}  // namespace redblue::frontend::llvm_ir
