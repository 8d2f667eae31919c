// SPDX-License-Identifier: BSD-3-Clause
// Programs that count their own iterations.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "frontend/llvm/ir/reading.hpp"

namespace redblue::frontend::llvm_ir {

// A loop of the source in the process or thread where it ran most.
struct LoopRun {
  std::int64_t iterations = 0;
  std::int64_t entries = 0;
  bool entered_most = true;  // no other process or thread entered it more often
};

// Compiles the program with a counter in every loop, runs it and returns how often each ran, by
// counting::Loop::id.
// A program with main gets the sizes' values as arguments, in this order. A function is called
// with them as values of its parameters, of globals and members of these names, with memory full
// of zeros for its arrays, 1 for other numbers. `threads`: names of a program that begins its
// threads itself, which gets p as a size like all others. Throws Error where a parameter has no
// size, or where the program does not compile or fails.
std::map<int, LoopRun> run_counted(const std::string& path, const std::string& function,
                                   const std::vector<std::string>& flags,
                                   const std::vector<std::pair<std::string, std::int64_t>>& sizes,
                                   const ThreadNames& threads);

}  // namespace redblue::frontend::llvm_ir
