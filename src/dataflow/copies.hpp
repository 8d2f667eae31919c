// SPDX-License-Identifier: BSD-3-Clause
// Values that are made from one other value: double a = A[i][k].
#pragma once

#include "program/program.hpp"

namespace redblue::dataflow {

// The program without the statements that make a value from one other value, for storage nobody
// reads afterwards: what reads their results reads what they read instead. A lower bound of it is
// one of the program: let the operand have a pebble wherever it or the result has one, then every
// game of the program is one of the other with no more pebbles and no more moves.
//
// Takes a program whose sources are derived, and leaves it as it is where the other program's reads
// would find other values.
program::Program without_copies(const program::Program& program);

// `operand`, which the statement reads that makes what `read` finds, as a read of the instance that
// `read` belongs to. The read has one source; both have theirs derived.
program::Access looked_through(const program::Access& read, const program::Access& operand);

}  // namespace redblue::dataflow
