// SPDX-License-Identifier: BSD-3-Clause
// A source file read for counting, with its IR.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <memory>
#include <string>
#include <vector>

#include "frontend/llvm/ir/reading.hpp"
#include "frontend/llvm/structure/structure.hpp"

namespace redblue::frontend::llvm_ir {

struct Source {
  std::unique_ptr<llvm::LLVMContext> context;  // outlives the module
  std::unique_ptr<llvm::Module> module;
  llvm::Function* entry = nullptr;
  std::vector<llvm::Function*> functions;  // the entry and what it still calls
  Reading reading;
  LoopNumbers numbers;
};

// The module, prepared; with its parallel loops as their threads run them.
Source read_to_run(const std::string& path, const std::string& function,
                   const std::vector<std::string>& flags);

// The module, prepared; variables of floating-point numbers in memory, parallel loops over all
// iterations.
Source read_to_bound(const std::string& path, const std::string& function,
                     const std::vector<std::string>& flags);

// The module, prepared, and its model, reading.program; parallel loops run over all iterations.
Source read_source(const std::string& path, const std::string& function,
                   const std::vector<std::string>& flags, const ThreadNames& threads);

}  // namespace redblue::frontend::llvm_ir
