// SPDX-License-Identifier: BSD-3-Clause
// Choices as text, to be shown and kept in files.
#pragma once

#include <optional>
#include <string>

#include "schedule/choice/choice.hpp"

namespace redblue::schedule::codegen {

// "loops 2, vectors 64; inner 1, tiles 0 32; inner 0, block 8 24, tiles 384 0 128": a part for each
// band; a block's tiles: rows, columns, sums. "late 128, vectors 64" for tiles that wait, "source"
// for the program's own order.
std::string text(const Choice& choice);

// Nothing where `text` makes no such text.
std::optional<Choice> choice_from(const std::string& text);

}  // namespace redblue::schedule::codegen
