// SPDX-License-Identifier: BSD-3-Clause
// Formulas of the counting model as C.
#pragma once

#include <map>
#include <set>
#include <string>

#include "counting/model/model.hpp"
#include "frontend/llvm/nest/recorder.hpp"

namespace redblue::frontend::llvm_ir {

// Thrown where a formula has no text; the caller knows the line.
struct NotWritten {
  std::string found, remedy;
};

class Formulas {
 public:
  // `memories`: what elements belong to; `lines`: all that is named, for strides of numbers.
  Formulas(const std::vector<NamedMemory>& memories);

  // What a symbol of the model stands for from here on.
  void resolve(const counting::Symbol& symbol, const counting::Expr& value);
  counting::Expr resolved(const counting::Expr& formula) const;

  // An integer expression; throws NotWritten.
  std::string text(const counting::Expr& formula);

  // All the elements that are named, before any of them is written: the strides of an array are
  // those of all its elements.
  void note(const Piece& element);
  // name[subscript], or the name of a variable.
  std::string element(const Piece& element);

  // A name that nothing else has.
  std::string unique(const std::string& wanted);
  void release(const std::string& name) { taken_.erase(name); }
  void declare(const std::string& counter) { counters_.insert(counter); }
  const std::string& memory_name(std::size_t memory);
  // The text of an extent of an array that a descriptor describes, "1" where nothing asks for it.
  std::string extent(std::size_t memory, int dimension);
  // The variables of the text that are neither counters nor memory.
  const std::set<std::string>& parameters() const { return parameters_; }

 private:
  std::string name_of(const counting::Symbol& symbol);
  std::string product(const counting::Expr& formula);
  std::string unbracketed(const counting::Expr& formula);
  void append_numbers(std::string& sum, const counting::Expr& rest, const std::set<long>& strides);
  std::string subscript(const counting::Expr& offset, std::int64_t bytes,
                        const std::set<long>& strides);

  const std::vector<NamedMemory>& memories_;
  GiNaC::exmap values_;
  std::map<std::string, std::string> names_;         // of parameters, by symbol
  std::map<std::size_t, std::string> memory_names_;  // by memory
  std::map<std::size_t, std::set<long>> strides_;    // numbers, in elements, by memory
  std::set<std::string> taken_;
  std::set<std::string> counters_;
  std::set<std::string> parameters_;
};

}  // namespace redblue::frontend::llvm_ir
