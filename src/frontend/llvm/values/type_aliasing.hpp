// SPDX-License-Identifier: BSD-3-Clause
// What the types of numbers say about memory: in C, C++ and Fortran a store of one type does not
// change what a load of another type reads, but for char. LLVM decides it by its own analysis.
#pragma once

#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Analysis/TypeBasedAliasAnalysis.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

namespace redblue::frontend::llvm_ir {

class TypeAliasing {
 public:
  explicit TypeAliasing(const llvm::Module& module);
  // Their types alone keep the store and the load apart.
  bool apart(const llvm::StoreInst& store, const llvm::LoadInst& load);

 private:
  llvm::TargetLibraryInfoImpl functions_;
  llvm::TargetLibraryInfo library_;
  llvm::TypeBasedAAResult types_;
  llvm::AAResults aliases_;
};

}  // namespace redblue::frontend::llvm_ir
