// SPDX-License-Identifier: BSD-3-Clause
// What a run counted, from the tables that its threads leave behind.
#pragma once

#include <string>

#include "frontend/llvm/run/counters.hpp"
#include "frontend/llvm/run/instrument.hpp"

namespace redblue::frontend::llvm_ir {

// From all tables in `folder`.
Run read_tables(const std::string& folder, const Counters& counters);

}  // namespace redblue::frontend::llvm_ir
