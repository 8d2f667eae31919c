// SPDX-License-Identifier: BSD-3-Clause
// A module made ready for counting: one function with all it calls in it, its scalars in SSA form,
// its loops as written.
#pragma once

#include <llvm/IR/Module.h>

#include <string>
#include <vector>

namespace redblue::frontend::llvm_ir {

// The function to count: the one of that name in the source (or of that symbol); without a name
// main, or the only function that no other calls. Throws Error, which lists the functions there
// are, for none or several.
llvm::Function& entry_of(llvm::Module& module, const std::string& path, const std::string& name);

// to_bound: as to_count, but variables of floating-point numbers stay in memory, under their names.
enum class Purpose { to_count, to_run, to_bound };

struct Prepared {
  std::vector<llvm::Function*> functions;  // the entry and those that are still called
  std::vector<std::string> assumptions;    // for the ledger
};

// Inlines into `entry` all that it calls and that is defined here, but recursion and what would
// make it too long; brings variables into registers, loops into LLVM's simple form. Other
// functions that are still called are made ready in the same way.
Prepared prepare(llvm::Module& module, llvm::Function& entry, Purpose purpose);

}  // namespace redblue::frontend::llvm_ir
