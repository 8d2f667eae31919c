// SPDX-License-Identifier: BSD-3-Clause
// The words of C that name nothing.
#pragma once

#include <string>

namespace redblue::frontend::c {

// Whether C17 keeps the word for itself: no variable, array or function can have it as its name.
bool is_keyword(const std::string& word);

}  // namespace redblue::frontend::c
