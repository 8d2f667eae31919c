// Einstein summation -> Program.
#pragma once

#include <string>

#include "program/program.hpp"

namespace redblue::frontend::einsum {

// "ij,jk->ik", or a chain of named ones: "T = A:ij, B:jk -> ik; D = T:ik, C:kl -> il". Letter x
// runs from 0 to Nx - 1, Nx a parameter. Operands without a name are A, B, C, ... in order, results
// without one T1, T2, ...; a result that a later summation reads is no output of the program.
// Without
// "->" the result has the letters that stand once, in alphabetical order, as NumPy has it.
//
// Each summation is one statement per term of the sum (all operands multiplied at once), after one
// that sets the result to 0; a plain product is one statement.
//
// Throws Error that names the text and what is wrong: no letters, a result with a letter that no
// operand has or twice, an operand's number of letters against its earlier use, a result written
// twice.
program::Program parse(const std::string& text);

}  // namespace redblue::frontend::einsum
