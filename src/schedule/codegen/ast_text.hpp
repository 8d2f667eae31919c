// SPDX-License-Identifier: BSD-3-Clause
// Loops over times (isl's syntax trees) as indented C.
#pragma once

#include <isl/cpp.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "program/program.hpp"

namespace redblue::schedule::codegen {

// Lines of C, each with its indentation.
class Lines {
 public:
  explicit Lines(int indent = 0) : indent_(indent) {}
  void add(const std::string& line);
  void open(const std::string& line);  // "for (..)" and "{"
  void close();
  int indent() const { return indent_; }
  void append(const Lines& other) { text_ += other.text_; }
  const std::string& text() const { return text_; }

 private:
  int indent_ = 0;
  std::string text_;
};

// An instance of a statement where the loops reach it: its name and its coordinates as C.
struct Reached {
  std::string name;
  std::vector<std::string> coordinates;
};

struct LoopText {
  isl::union_map times;
  isl::set known = isl::set(program::context(), "{ : }");  // of the parameters, not asked again
  std::vector<std::string> names;  // of the loop variables, by depth; no two alike
  std::string type = "int";        // of the loop variables
  // Writes an instance.
  std::function<void(const Reached&, Lines&)> write;
  // Whether the steps of an innermost loop may run in any order; `upto`: times cut off behind the
  // loop. May be empty.
  std::function<bool(const isl::union_map& upto)> parallel;
  // Whether threads share the steps of the loop of this name, and then the lines that its body
  // begins with: asked from the outside in, until one is shared. May be empty.
  std::function<std::optional<std::vector<std::string>>(const isl::union_map& upto,
                                                        const std::string& name)>
      shared;
  // Whether the steps of a loop that threads share take equally long. May be empty: no.
  std::function<bool(const isl::union_map& upto)> equal_steps;
  std::vector<int> unrolled;  // depths of loops of few steps, written one by one
};

void write_loops(const LoopText& loops, Lines& lines);

}  // namespace redblue::schedule::codegen
