// SPDX-License-Identifier: BSD-3-Clause
// What blocks of the IR do with memory, as lines of C in which subscripts are still formulas.
#pragma once

#include <llvm/IR/Instructions.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "frontend/llvm/structure/structure.hpp"

namespace redblue::frontend::llvm_ir {

// What a Fortran descriptor says of an array: by dimension, as far as the program asks for it.
struct Descriptor {
  std::map<int, counting::Symbol> lows, extents, strides;  // strides in bytes
};

// Memory that statements name: a variable, or an array with one subscript for all its dimensions;
// one that a Fortran descriptor says the strides of has a subscript for each of them.
struct NamedMemory {
  std::string name;
  counting::Symbol base;    // its address
  bool is_variable = true;  // only its first element is named
  bool is_local = false;    // gone when the function ends
  bool is_written = false;
  bool is_integer = false;
  Descriptor described = {};
};

// Words of C, an integer, or an element of memory.
struct Piece {
  enum class Kind { words, integer, element } kind = Kind::words;
  std::string words = {};
  counting::Expr formula = {};  // of an element: its address
  std::size_t memory = 0;       // of an element
  std::int64_t bytes = 0;       // of an element: how long it is
};
using Pieces = std::vector<Piece>;

struct Line {
  int number = 0;             // of the source
  bool is_condition = false;  // of the branch that follows; else a statement
  Pieces pieces;
};

class Recorder : public BlockReader {
 public:
  Recorder(llvm::Function& function, Reading& reading);

  // Adds a statement named by the line's index for each line.
  void read(const llvm::BasicBlock& block, Values& values, counting::Body& out) override;

  const std::vector<Line>& lines() const { return lines_; }
  const std::vector<NamedMemory>& memories() const { return memories_; }

 private:
  void look_around(Values& values);
  std::string name_of_allocated(const llvm::Value& from) const;
  void store(const llvm::StoreInst& store, counting::Body& out);
  void function(const llvm::CallBase& call, Pieces& out);
  void expression(const llvm::Value& value, Pieces& out);
  void integer(const llvm::Value& value, Pieces& out);
  void operation(const llvm::Instruction& at, Pieces& out);
  void comparison(const llvm::CmpInst& at, Pieces& out);
  void choice(const llvm::SelectInst& at, Pieces& out);
  void element(const llvm::Value& pointer, const llvm::Type& type, bool written, Pieces& out);
  std::size_t memory_of(const llvm::Value& pointer, const llvm::Instruction& at);
  void keep(const llvm::LoadInst& load, counting::Body& out);
  void keep_value(const llvm::Instruction& value, counting::Body& out);
  void end_of_block(const llvm::BasicBlock& block, counting::Body& out);
  void keep_others(const std::set<const llvm::Instruction*>& used, counting::Body& out);
  void add(const llvm::Instruction& at, bool is_condition, Pieces pieces, counting::Body& out);
  bool is_steering(const llvm::StoreInst& store);
  bool has_data(const counting::Expr& formula) const;

  llvm::Function& function_;
  Reading& reading_;
  Values* values_ = nullptr;  // while a block is read
  bool looked_around_ = false;
  std::vector<Line> lines_;
  std::vector<NamedMemory> memories_;
  std::map<std::string, std::size_t> by_base_;
  std::map<std::string, Descriptor> described_;  // by the symbol of the array's address
  std::set<std::size_t> arrays_;             // objects of which elements are accessed by variables
  std::vector<const llvm::LoadInst*> open_;  // loads of this block without a line
  std::map<const llvm::Value*, std::string> kept_;  // values that have a name
  std::set<const llvm::Value*> fresh_;              // those that this reading of the block named
  int count_ = 0;
};

// Throws Error about the line of the source that the instruction comes from.
[[noreturn]] void refuse(const llvm::Instruction& at, const std::string& found,
                         const std::string& remedy);

}  // namespace redblue::frontend::llvm_ir
