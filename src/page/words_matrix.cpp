// SPDX-License-Identifier: BSD-3-Clause
#include "page/words_matrix.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "page/numbers.hpp"
#include "page/page.hpp"

namespace redblue::page {

namespace {

constexpr double left = 64, top = 48;

// Rows and columns of `together` ranks each.
WordsMatrix gathered(const WordsMatrix& matrix, std::size_t together) {
  WordsMatrix result;
  result.ranks = (matrix.ranks + together - 1) / together;
  result.words.resize(result.ranks * result.ranks);
  for (std::size_t from = 0; from < matrix.ranks; ++from) {
    for (std::size_t to = 0; to < matrix.ranks; ++to)
      result.words[from / together * result.ranks + to / together] += matrix.at(from, to);
  }
  return result;
}

}  // namespace

std::string matrix_chart(const WordsMatrix& all, PagePicture place) {
  const std::size_t together = (all.ranks + most_in_matrix - 1) / most_in_matrix;
  const WordsMatrix matrix = together > 1 ? gathered(all, together) : all;
  const auto ranks = static_cast<double>(matrix.ranks);
  constexpr double widest = 64;
  const double cell = std::min(widest, (place.width - left - 8) / ranks);
  place.height = top + cell * ranks + 8;
  const double most = std::max(1.0, *std::max_element(matrix.words.begin(), matrix.words.end()));
  place.title = "Words that ranks sent each other";
  place.description = fmt::format(
      "A square for each of {} ranks as sender, downwards, and as receiver, to the right. The "
      "most that one sent another is {} words.",
      all.ranks, grouped(most));
  std::string svg = svg_begin(place);
  svg += svg_label(left + cell * ranks / 2, 14, "middle", "to rank");
  svg += svg_label(4, top + cell * ranks / 2, "start", "from");
  const std::size_t each = matrix.ranks / 16 + 1;
  std::string cells, numbers;
  const double roomy = 10 + 7.2 * static_cast<double>(short_number(most).size());
  for (std::size_t from = 0; from < matrix.ranks; ++from) {
    const double y = top + cell * static_cast<double>(from);
    const double along = left + cell * static_cast<double>(from);
    if (from % each == 0) {
      svg += svg_label(left - 8, y + cell / 2 + 4, "end", std::to_string(from * together));
      svg += svg_label(along + cell / 2, top - 8, "middle", std::to_string(from * together));
    }
    for (std::size_t to = 0; to < matrix.ranks; ++to) {
      const double words = matrix.at(from, to), x = left + cell * static_cast<double>(to);
      cells += fmt::format(
          "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" "
          "fill=\"currentColor\" fill-opacity=\"{:.3f}\"/>\n",
          x + 0.5, y + 0.5, std::max(cell - 1, 1.0), std::max(cell - 1, 1.0),
          words > 0 ? 0.12 + 0.38 * words / most : 0.03);
      if (cell >= roomy && words > 0)
        numbers += svg_label(x + cell / 2, y + cell / 2 + 4, "middle", short_number(words));
    }
  }
  return svg + svg_coloured("hue0", "#2c5aa0", cells) + numbers + "</svg>\n";
}

std::string matrix_figure(const WordsMatrix& matrix) {
  std::string numbers;
  constexpr std::size_t most = 32;
  if (matrix.ranks <= most) {
    Table table;
    table.caption = "Words from the row's rank to the column's";
    table.head = {"from"};
    for (std::size_t to = 0; to < matrix.ranks; ++to) {
      table.head.push_back(std::to_string(to));
      table.numbers.insert(to + 1);
    }
    for (std::size_t from = 0; from < matrix.ranks; ++from) {
      std::vector<std::string> row = {std::to_string(from)};
      for (std::size_t to = 0; to < matrix.ranks; ++to) row.push_back(grouped(matrix.at(from, to)));
      table.rows.push_back(row);
    }
    numbers = table.html();
  }
  return html_figure(matrix_chart(matrix, wide_picture("matrix-picture")),
                     matrix_chart(matrix, narrow_picture("matrix-picture")),
                     "Words that the ranks on the left sent those above: the stronger the colour, "
                     "the more.",
                     numbers);
}

}  // namespace redblue::page
