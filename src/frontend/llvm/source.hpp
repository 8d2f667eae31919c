// A source file read for counting, with its IR.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <memory>
#include <string>
#include <vector>

#include "frontend/llvm/reading.hpp"
#include "frontend/llvm/structure.hpp"

namespace redblue::frontend::llvm_ir {

struct Source {
  std::unique_ptr<llvm::LLVMContext> context;  // outlives the module
  std::unique_ptr<llvm::Module> module;
  llvm::Function* entry = nullptr;
  Reading reading;
  LoopNumbers numbers;
};

// The program's model is reading.program, the module is prepared, not changed otherwise.
Source read_source(const std::string& path, const std::string& function,
                   const std::vector<std::string>& flags);

}  // namespace redblue::frontend::llvm_ir
