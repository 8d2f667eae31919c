// SPDX-License-Identifier: BSD-3-Clause
// Source files as LLVM IR.
#pragma once

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace redblue::frontend::llvm_ir {

enum class Language { c, cpp, fortran, ir };

// By the file's ending: .c; .cpp, .cc, .cxx, .C; .f, .for, .f90, .f95, .f03, .f08, .F, .F90; .ll,
// .bc. The second throws Error for others.
std::optional<Language> language_by_ending(const std::string& path);
Language language_of(const std::string& path);

// The program that compiles it ("clang-19", "clang++-19", "flang-new-19"); clang-19 for IR.
std::string compiler_of(Language language);

// A folder of its own that goes with its object.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

// Fortran's array expressions and sums: calls of its run-time library, or loops where flang can
// write them.
enum class ArrayExpressions { calls, loops };

// The file's IR before any optimisation, with debug information. `flags` go to the compiler.
// Throws Error where the file cannot be read or does not compile.
std::unique_ptr<llvm::Module> read_module(llvm::LLVMContext& context, const std::string& path,
                                          const std::vector<std::string>& flags,
                                          ArrayExpressions arrays = ArrayExpressions::calls);

}  // namespace redblue::frontend::llvm_ir
