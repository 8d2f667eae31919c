// SPDX-License-Identifier: BSD-3-Clause
#include "cli/trace/matrix_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/output.hpp"
#include "page/svg.hpp"

namespace redblue::cli {

using namespace page;

namespace {

constexpr double left = 60;
constexpr double top = 60;

// White for nothing, then from light to dark blue.
std::string colour(std::int64_t bytes, std::int64_t most) {
  if (bytes == 0) return "#ffffff";
  const double share =
      most <= 1 ? 1 : std::log(static_cast<double>(bytes)) / std::log(static_cast<double>(most));
  const auto mixed = [share](double light, double dark) {
    return static_cast<int>(light + share * (dark - light));
  };
  return fmt::format("#{:02x}{:02x}{:02x}", mixed(226, 8), mixed(238, 48), mixed(249, 107));
}

std::string square(double x, double y, double side, std::int64_t bytes, std::int64_t most,
                   const std::string& what) {
  return fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\" "
      "stroke=\"#dddddd\"><title>{}: {} bytes</title></rect>\n",
      x, y, side, side, colour(bytes, most), svg_text(what), grouped(bytes));
}

// Every how many ranks one is labelled.
int label_step(int ranks) {
  constexpr int labels = 16;
  return std::max(1, (ranks + labels - 1) / labels);
}

}  // namespace

std::int64_t CommunicationMatrix::received(int rank) const {
  const auto at = static_cast<std::size_t>(rank);
  std::int64_t bytes = collectives[at];
  for (const std::vector<std::int64_t>& row : sent) bytes += row[at];
  return bytes;
}

std::string matrix_picture(const std::string& title, const CommunicationMatrix& matrix) {
  constexpr double picture = 480;
  const int ranks = matrix.ranks();
  const double side = std::clamp(picture / ranks, 2.0, 40.0);
  const double below = top + ranks * side + 24;
  std::int64_t most = 1;
  for (const auto& row : matrix.sent)
    most = std::max(most, *std::max_element(row.begin(), row.end()));
  for (const std::int64_t bytes : matrix.collectives) most = std::max(most, bytes);
  std::string svg =
      svg_begin(title, std::max(left + ranks * side + 40, 420.0), below + side + 60, 12);
  for (int from = 0; from < ranks; ++from) {
    for (int to = 0; to < ranks; ++to) {
      svg += square(left + to * side, top + from * side, side,
                    matrix.sent[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)], most,
                    fmt::format("rank {} to rank {}", from, to));
    }
  }
  for (int r = 0; r < ranks; ++r) {
    svg += square(left + r * side, below, side, matrix.collectives[static_cast<std::size_t>(r)],
                  most, fmt::format("rank {} in collectives", r));
    if (r % label_step(ranks) != 0) continue;
    svg += svg_label(left + (r + 0.5) * side, top - 6, "middle", std::to_string(r));
    svg += svg_label(left - 6, top + (r + 0.5) * side + 4, "end", std::to_string(r));
  }
  svg += svg_label(12, top - 6, "start", "from");
  svg += svg_label(left + ranks * side + 6, top - 6, "start", "to");
  svg += svg_label(left, below - 6, "start", "received in collectives and gets");
  svg += svg_label(
      12, below + side + 32, "start",
      fmt::format("white: nothing; darkest: {} bytes; logarithmic between", grouped(most)));
  return svg + "</svg>\n";
}

}  // namespace redblue::cli
