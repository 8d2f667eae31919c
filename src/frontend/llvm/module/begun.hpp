// SPDX-License-Identifier: BSD-3-Clause
// Code that the program gives to other threads: functions for pthread_create, tasks of OpenMP.
//
// For counting it is called where it is begun, behind a condition that says so: a call of one of
// these markers. Structure reads that as a path that others run.
#pragma once

#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Module.h>

#include "counting/model/model.hpp"

namespace redblue::frontend::llvm_ir {

// Functions given to pthread_create. True where there are some.
bool call_threads(llvm::Module& module);

// Tasks, and the tasks of a taskloop, which run its iterations, as one loop that threads share.
// Before make_shared_loops_visible, which forgets who is the only one to create tasks.
void call_tasks(llvm::Module& module);

// Who runs what stands behind the condition: nothing for other conditions.
std::optional<counting::Runner> runner_behind(const llvm::Value& condition);

// For a module that is to run as it is: each task counts for the one of p threads that has least so
// far; a taskloop has p tasks.
void divide_tasks(llvm::Module& module);

}  // namespace redblue::frontend::llvm_ir
