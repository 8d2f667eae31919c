// SPDX-License-Identifier: BSD-3-Clause
// Programs that count their own iterations.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "frontend/llvm/ir/reading.hpp"

namespace redblue::frontend::llvm_ir {

// A loop of the source in the process or thread where it ran most.
struct LoopRun {
  std::int64_t iterations = 0;
  std::int64_t entries = 0;
  std::size_t thread = 0;  // which that was, of all threads of all processes
};

// A value as one thread met it.
struct Noted {
  std::optional<std::int64_t> value;  // none: never met
  bool varies = false;
};

struct Run {
  std::map<int, LoopRun> loops;  // by counting::Loop::id
  // How often something happened, thread by thread, by the names of counting::Frequency; nothing
  // for what the program that ran does not have.
  std::map<std::string, std::vector<std::int64_t>> counts;
  // What counting::Program::values names, thread by thread.
  std::map<std::string, std::vector<Noted>> values;
  std::vector<std::int64_t> ranks;  // OpenMP's number of each thread; -1: it has none
};

// Compiles the program with a counter in every loop, and for each place and value that `wanted`
// names, and runs it.
// A program with main gets the sizes' values as arguments, in this order. A function is called
// with them as values of its parameters, of globals and members of these names, with memory full
// of zeros for its arrays, 1 for other numbers. `threads`: names of a program that begins its
// threads itself, which gets p as a size like all others. Throws Error where a parameter has no
// size, or where the program does not compile or fails.
Run run_counted(const std::string& path, const std::string& function,
                const std::vector<std::string>& flags,
                const std::vector<std::pair<std::string, std::int64_t>>& sizes,
                const ThreadNames& threads, const std::set<std::string>& wanted);

}  // namespace redblue::frontend::llvm_ir
