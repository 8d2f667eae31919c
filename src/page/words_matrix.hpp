// SPDX-License-Identifier: BSD-3-Clause
// Who sent how many words to whom, as a picture.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "page/svg.hpp"

namespace redblue::page {

struct WordsMatrix {
  std::size_t ranks = 0;
  std::vector<double> words;  // [from * ranks + to]
  double at(std::size_t from, std::size_t to) const { return words[from * ranks + to]; }
};

// At most so many rows and columns: of more ranks, some that follow each other are one.
inline constexpr std::size_t most_in_matrix = 64;

// For a page: a square per pair of ranks, the stronger its colour, the more words; few ranks have
// numbers.
std::string matrix_chart(const WordsMatrix& matrix, PagePicture place);

// The picture for wide columns and telephones, with its numbers where they are few.
std::string matrix_figure(const WordsMatrix& matrix);

}  // namespace redblue::page
