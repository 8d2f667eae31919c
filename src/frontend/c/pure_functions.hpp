// The C math functions a statement may call.
#pragma once

#include <string>

namespace redblue::frontend::c {

// True for functions whose value depends on their arguments alone and that change nothing.
bool is_pure_function(const std::string& name);

}  // namespace redblue::frontend::c
