// SPDX-License-Identifier: BSD-3-Clause
// A function of the counting model, with what its blocks do with memory, as C.
#pragma once

#include <string>
#include <vector>

#include "frontend/llvm/nest/formulas.hpp"
#include "frontend/llvm/nest/recorder.hpp"

namespace redblue::frontend::llvm_ir {

struct Written {
  std::string text;                  // one function
  std::string function;              // its name
  std::vector<std::string> local;    // arrays that are gone when the function ends
  std::vector<std::string> assumed;  // of the program: "the loop at line 4 runs at least once"
  std::vector<std::string> taken;    // of the language: "the lower bounds of 'a' are 1"
};

// `path` stands in #line directives. Throws Error for loops that are not counted by sums of sizes.
Written written(const counting::Function& function, const Recorder& recorder,
                const std::string& path);

}  // namespace redblue::frontend::llvm_ir
