// SPDX-License-Identifier: BSD-3-Clause
// OpenMP as clang and flang compile it, for counting.
//
// Threads of a parallel region run one function each; loops ask the runtime library for their part
// of the iterations. For counting, the region's function is called directly and its loops run over
// all iterations; a call of `shared_loop_marker` in a loop's header says how threads divide them.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Module.h>

#include <vector>

namespace redblue::frontend::llvm_ir {

inline constexpr const char* shared_loop_marker = "redblue.shared_loop";

// True where the module has parallel regions.
bool make_shared_loops_visible(llvm::Module& module);

// Flang's loops that try an atomic update until no other thread interferes, which the source does
// not have: they run once. True where there are some.
bool succeed_at_once(llvm::Module& module);

// The marker in a loop's header, with the schedule's number of the runtime library (33: static
// with chunks, 34: static, 35: dynamic, 36: guided) and the chunk as arguments; null for loops that
// each thread runs for itself.
const llvm::CallBase* shared_loop(const llvm::Loop& loop);

// Threads ask for the loop's iterations one by one.
inline constexpr unsigned shared_on_demand = 35;
void mark_shared(llvm::Loop& loop, unsigned schedule);

// For a module that is to run as it is: marks the loops that ask for one part of the iterations
// after the other, which the source does not have.
void mark_asking_loops(llvm::Module& module);
bool is_asking_loop(const llvm::Loop& loop);

// Calls that let threads run a parallel region, and the region's function; null for one that is not
// named.
std::vector<llvm::CallBase*> forks_of(llvm::Module& module);
llvm::Function* region_of(const llvm::CallBase& fork);

// Loops of this function are run by one thread: takes their marks away.
void share_nothing(llvm::Function& function);

// Takes all marks away again.
void remove_marks(llvm::Module& module);

}  // namespace redblue::frontend::llvm_ir
