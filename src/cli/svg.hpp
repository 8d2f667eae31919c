// SPDX-License-Identifier: BSD-3-Clause
// Pieces of SVG that several pictures need.
#pragma once

#include <string>

namespace redblue::cli {

// `text` as the content of an element.
std::string svg_text(const std::string& text);

// The head of a picture on white, with its title shown at the top, `left` from the border.
std::string svg_begin(const std::string& title, double width, double height, double left);

}  // namespace redblue::cli
