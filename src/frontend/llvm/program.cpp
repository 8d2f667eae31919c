#include "frontend/llvm/program.hpp"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>

#include <deque>
#include <set>

#include "frontend/llvm/module.hpp"
#include "frontend/llvm/names.hpp"
#include "frontend/llvm/prepare.hpp"
#include "frontend/llvm/structure.hpp"

namespace redblue::frontend::llvm_ir {

counting::Program read_program(const std::string& path, const std::string& function,
                               const std::vector<std::string>& flags) {
  llvm::LLVMContext context;
  const auto module = read_module(context, path, flags);
  llvm::Function& entry = entry_of(*module, path, function);
  prepare(*module, entry);
  Reading reading;
  LoopNumbers numbers;
  llvm::DominatorTree dominators(entry);
  const llvm::LoopInfo loops(dominators);
  counting::Function read;
  read.name = source_name(entry);
  read.body = Structure(entry, loops, dominators, reading, numbers).body();
  reading.program.main = read.name;
  reading.program.functions[read.name] = std::move(read);
  return reading.finished();
}

}  // namespace redblue::frontend::llvm_ir
