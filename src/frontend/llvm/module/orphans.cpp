// SPDX-License-Identifier: BSD-3-Clause
#include "frontend/llvm/module/orphans.hpp"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <map>
#include <set>

#include "frontend/llvm/module/openmp.hpp"

namespace redblue::frontend::llvm_ir {

namespace {

// In the order of the calls, so that copies come in the same order each time.
std::vector<llvm::Function*> called_from(std::vector<llvm::Function*> reached) {
  std::set<llvm::Function*> seen(reached.begin(), reached.end());
  for (std::size_t next = 0; next < reached.size(); ++next) {
    for (llvm::Instruction& instruction : llvm::instructions(*reached[next])) {
      const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      llvm::Function* callee = call == nullptr ? nullptr : call->getCalledFunction();
      if (callee == nullptr || callee->isDeclaration() || !seen.insert(callee).second) continue;
      reached.push_back(callee);
    }
  }
  return reached;
}

}  // namespace

std::vector<llvm::Function*> outside_of_regions(llvm::Module& module, llvm::Function& entry) {
  std::vector<llvm::Function*> reached;
  for (const llvm::CallBase* fork : forks_of(module)) {
    llvm::Function* region = region_of(*fork);
    if (region != nullptr && !region->isDeclaration()) reached.push_back(region);
  }
  // What is handed on as a pointer may be called in a region, too.
  for (llvm::Function& function : module) {
    if (!function.isDeclaration() && function.hasAddressTaken() && &function != &entry)
      reached.push_back(&function);
  }
  const std::vector<llvm::Function*> all_inside = called_from(reached);
  const std::set<llvm::Function*> inside(all_inside.begin(), all_inside.end());
  if (inside.contains(&entry)) return {};
  std::vector<llvm::Function*> outside = called_from({&entry});
  std::map<llvm::Function*, llvm::Function*> copies;
  for (llvm::Function*& function : outside) {
    if (!inside.contains(function)) continue;
    llvm::ValueToValueMapTy values;
    llvm::Function* copy = llvm::CloneFunction(function, values);
    copy->setLinkage(llvm::GlobalValue::InternalLinkage);
    copies[function] = copy;
    function = copy;
  }
  for (llvm::Function* function : outside) {
    for (llvm::Instruction& instruction : llvm::instructions(*function)) {
      auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      const auto copy = call == nullptr ? copies.end() : copies.find(call->getCalledFunction());
      if (copy != copies.end()) call->setCalledFunction(copy->second);
    }
  }
  return outside;
}

}  // namespace redblue::frontend::llvm_ir
