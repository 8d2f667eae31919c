// SPDX-License-Identifier: BSD-3-Clause
// A tile as a call of BLAS in C.
#pragma once

#include <string>

#include "schedule/blocks/calls.hpp"
#include "schedule/codegen/ast_text.hpp"
#include "schedule/codegen/statement_text.hpp"

namespace redblue::schedule::codegen {

// "dgemm".
std::string routine(const Product& product, const CallKind& kind);

// What calls the band has, each routine once: "S1: dgemm of 256 x 256 x all (i, j, k)", without
// sizes where all loops are whole.
std::vector<std::string> described(const program::Program& program, const Called& called);

// The call with these coordinates (Call::name) by the interface of <cblas.h>.
void write_call(const program::Program& program, const StatementText& text, const Called& called,
                const Call& call, const Reached& reached, Lines& lines);

}  // namespace redblue::schedule::codegen
