// SPDX-License-Identifier: BSD-3-Clause
// What the source calls the things of the IR, from its debug information.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Function.h>

#include <cstdint>
#include <string>

#include "counting/model/model.hpp"

namespace redblue::frontend::llvm_ir {

// A Fortran program; the module's main starts the runtime library and calls it.
inline constexpr const char* fortran_main = "_QQmain";

// A variable of the source and its type; no name where the debug information has none.
struct SourceVariable {
  std::string name;
  const llvm::DIType* type = nullptr;
};

// Names local variables and arguments after those of the source; before mem2reg, which hands the
// names on.
void name_variables(llvm::Module& module);

// A value's name without what passes appended to it ("n" for "n.addr.0.i"); empty for none.
std::string plain_name(const llvm::Value& value);

// The name of the variable that the value is stored to, alone or made wider or narrower.
std::string stored_name(const llvm::Value& value);

// The function's name in the source: "dot" for "_ZL3dotPKd".
std::string source_name(const llvm::Function& function);

// The variable that a global, an argument or a local variable's memory stands for.
SourceVariable variable_of(const llvm::Value& memory);

// What stands `offset` bytes into an object that a pointer of type `pointer` points to: the name
// goes on with its members ("grid" -> "grid_n"), the type is the member's. An object that is no
// structure keeps its name at offset 0, and has "_K" for element K beyond.
SourceVariable pointee(const SourceVariable& pointer, std::int64_t offset);
// The same for an object itself.
SourceVariable part(const SourceVariable& object, std::int64_t offset);

// Bytes of what a pointer of this type points to; 0 where nobody knows.
std::int64_t pointee_bytes(const llvm::DIType* pointer);

// Where the loop stands: as the compiler or note_places notes it, or its guard's place.
llvm::DebugLoc start_of(const llvm::Loop& loop);

// Notes the place of every loop, so that it is the same in the program that is counted and in the
// one that runs, whatever passes do to them.
void note_places(llvm::Module& module);

// The function of the source that the loop stands in; empty in functions that the compiler adds.
std::string written_in(const llvm::Loop& loop);

counting::Location location_of(const llvm::Instruction& instruction);
counting::Location location_of(const llvm::Loop& loop);

}  // namespace redblue::frontend::llvm_ir
