// SPDX-License-Identifier: BSD-3-Clause
// Who sent how many words to whom, as a picture.
#pragma once

#include <cstddef>
#include <vector>

#include "cli/svg.hpp"
#include "task_graph/execution.hpp"

namespace redblue::cli {

struct WordsMatrix {
  std::size_t ranks = 0;
  std::vector<double> words;  // [from * ranks + to]
  double at(std::size_t from, std::size_t to) const { return words[from * ranks + to]; }
};

// Of the messages that were sent. Collectives (barriers) move no words.
WordsMatrix words_matrix(const task_graph::Execution& execution);

// At most so many rows and columns: of more ranks, some that follow each other are one.
inline constexpr std::size_t most_in_matrix = 64;

// For a page: a square per pair of ranks, the stronger its colour, the more words; few ranks have
// numbers.
std::string matrix_chart(const WordsMatrix& matrix, PagePicture place);

}  // namespace redblue::cli
