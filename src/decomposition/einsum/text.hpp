// SPDX-License-Identifier: BSD-3-Clause
// The text of summations: statements, tensors, names.
#pragma once

#include <string>
#include <vector>

namespace redblue::einsum {

// A summation as written: the letters of its operands and its result; for every operand its number,
// of the different operands of the whole text or, beyond those, of an earlier statement.
struct WrittenStatement {
  std::vector<std::string> operands;
  std::vector<std::size_t> numbers;
  std::string result;
};

struct WrittenProgram {
  std::string text;                 // without spaces, all results written out
  std::vector<std::string> inputs;  // their letters where they are first read
  std::vector<WrittenStatement> statements;
};

// Throws Error for letters and names that cannot be.
WrittenProgram read_program(const std::string& text);

[[noreturn]] void refuse(const std::string& text, const std::string& found,
                         const std::string& remedy);

}  // namespace redblue::einsum
