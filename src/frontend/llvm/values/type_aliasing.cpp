// SPDX-License-Identifier: BSD-3-Clause
#include "frontend/llvm/values/type_aliasing.hpp"

#include <llvm/Analysis/MemoryLocation.h>
#include <llvm/TargetParser/Triple.h>

namespace redblue::frontend::llvm_ir {

TypeAliasing::TypeAliasing(const llvm::Module& module)
    : functions_(llvm::Triple(module.getTargetTriple())), library_(functions_), aliases_(library_) {
  aliases_.addAAResult(types_);
}

bool TypeAliasing::apart(const llvm::StoreInst& store, const llvm::LoadInst& load) {
  return aliases_.isNoAlias(llvm::MemoryLocation::get(&store), llvm::MemoryLocation::get(&load));
}

}  // namespace redblue::frontend::llvm_ir
