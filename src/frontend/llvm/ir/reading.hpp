// SPDX-License-Identifier: BSD-3-Clause
// What grows while a program is read: symbols, data, and what is assumed.
#pragma once

#include <llvm/Analysis/LoopInfo.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "counting/model/model.hpp"

namespace redblue::frontend::llvm_ir {

// Where a caller puts a parameter's value: into argument `argument` itself (no offsets), or into
// memory: beginning at the argument or at a global, pointers lead from one offset to the next.
struct Input {
  std::string name;  // empty: a pointer to memory that the program uses
  unsigned argument = 0;
  std::string global;  // its symbol; empty: the argument
  std::vector<std::int64_t> offsets;
  unsigned bits = 0;
  // More than 0: the place holds the end of an array whose beginning is the pointer before it; the
  // value is the array's length, in elements of so many bytes.
  std::int64_t stride = 0;
  bool operator==(const Input&) const = default;
};

// What the user calls the number of threads that the program begins itself, and the number of one.
struct ThreadNames {
  std::string size;
  std::string rank;
  bool given() const { return !size.empty(); }
};

class Reading {
 public:
  counting::Program program;

  ThreadNames threads;
  // p or rank, for the source's name of it.
  std::optional<counting::Symbol> thread_number(const std::string& name);

  // A symbol that no other value has: "i" gives i#1, i#2, .. `scope` is the loop it changes in.
  counting::Symbol fresh(const std::string& name, const llvm::Loop* scope);

  // The symbol of a value that the user gives, by its name in the source; another value of the
  // same name is called n_2. `value` tells values apart.
  counting::Symbol parameter(const std::string& name, const std::string& value);

  // A value that comes from data. Outside of all loops it is a parameter.
  counting::Symbol datum(const std::string& name, const counting::Location& at,
                         const std::string& text, const llvm::Loop* scope);

  // The innermost loop whose iterations give the symbol new values; null for parameters.
  const llvm::Loop* scope_of(const counting::Symbol& symbol) const;

  // The datum is a variable or a member, in one place of memory: no element of an array.
  void name_scalar(const counting::Symbol& symbol) { scalars_.insert(symbol.get_name()); }
  bool is_scalar(const counting::Symbol& symbol) const {
    return scalars_.contains(symbol.get_name());
  }

  bool is_datum(const counting::Symbol& symbol) const {
    return data_.count(symbol.get_name()) != 0;
  }

  // Noted once, for the ledger.
  void assume(const std::string& what);
  // A function that is called and not defined here.
  void outside(const std::string& function) { outside_.insert(function); }

  // Noted once: parameters, and pointers behind which there is memory.
  void input(const Input& input);
  const std::vector<Input>& inputs() const { return inputs_; }

  // The program with what was noted.
  counting::Program finished();

 private:
  std::map<std::string, const llvm::Loop*> scopes_;  // by symbol
  std::map<std::string, std::string> parameters_;    // value -> name
  std::map<std::string, int> times_;                 // how many values have the name
  std::set<std::string> outside_;
  std::set<std::string> scalars_;
  std::set<std::string> data_;  // symbols of program.data
  std::vector<Input> inputs_;
  int count_ = 0;
};

}  // namespace redblue::frontend::llvm_ir
