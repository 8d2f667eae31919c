// SPDX-License-Identifier: BSD-3-Clause
// Einstein summations and network layers -> Program.
#pragma once

#include <string>

#include "program/program.hpp"

namespace redblue::frontend::einsum {

// "ij,jk->ik", or a chain of named ones: "T = A:ij, B:jk -> ik; D = T:ik, C:kl -> il". Letter x
// runs from 0 to Nx - 1, Nx a parameter. Operands without a name are A, B, C, ... in order, results
// without one T1, T2, ...; a result that a later item reads is no output of the program. Without
// "->" the result has the letters that stand once, in alphabetical order, as NumPy has it.
// An operand's place may be a sum in parentheses: "nc(2h+r)(2w+s),kcrs->nkhw" is a convolution with
// stride 2.
//
// Each summation is one statement per term of the sum (all operands multiplied at once), after one
// that sets the result to 0; a plain product is one statement. A summation to a single number is
// T1[0].
//
// Layers stand in a chain as calls:
//   softmax(X:bhlm, m), layernorm(X:nd, d)   along the letter named last; softmax does not subtract
//                                            the maximum
//   relu(X:nd), exp, tanh, sigmoid, gelu     element by element
//   add(X:nd, Y:nd, ...)                     element by element; operands with fewer letters repeat
//   conv(X:nchw, F:kcrs, 2)                  X's last two letters run over the result nkhw; stride
//   1
//                                            where none is given
//   attention(Q:bhlp, K:bhmp, V:bhmp)        softmax of Q K^T along m, times V
//   mlp(X:ni, U:if, W:fo)                    relu(X U) W
//
// The program goes through the C front end: its C text is Program::region.text.
//
// Throws Error that names the text and what is wrong: no letters, a result with a letter that no
// operand has or twice, an operand's number of letters against its earlier use, a result written
// twice, a name that C or the parameters use.
program::Program parse(const std::string& text);

}  // namespace redblue::frontend::einsum
