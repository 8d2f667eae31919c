// SPDX-License-Identifier: BSD-3-Clause
// What a text of Einstein summations and layers asks for, operation by operation.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace redblue::frontend::einsum {

// A place of an operand: 2h + r.
using Place = std::vector<std::pair<long, char>>;

struct Operand {
  std::string name;
  std::vector<Place> places;

  // The letters of all places, in order, repetitions included.
  std::string letters() const;
};

struct Operation {
  enum class Kind {
    product,    // result += product of the operands, or = where nothing is summed
    map,        // result = function(operand)
    sum,        // result = operand + operand + ...
    softmax,    // along `axis`
    layernorm,  // along `axis`
  };
  Kind kind = Kind::product;
  std::string result;   // name
  std::string letters;  // of the result
  std::vector<Operand> operands;
  std::string function = {};
  char axis = 0;

  // Letters of the operands that the result has not, in order of appearance.
  std::string summed() const;
};

// Throws Error.
std::vector<Operation> operations(const std::string& text);

[[noreturn]] void refuse(const std::string& text, const std::string& why);

}  // namespace redblue::frontend::einsum
