// SPDX-License-Identifier: BSD-3-Clause
// Room for labels in a picture.
#pragma once

#include <optional>
#include <utility>
#include <vector>

namespace redblue::page {

struct Box {
  double left, above, right, below;
  bool meets(const Box& other) const;
};

using Line = std::vector<std::pair<double, double>>;  // from point to point

// Some of the line is in the box.
bool crosses(const Line& line, const Box& box);

// What stands in a frame, and where in it a label may stand.
struct Room {
  Box frame;
  std::vector<Line> lines;
  std::vector<Box> boxes;
  Line edge;               // the label stands wholly on one side of it:
  bool below_edge = true;  // below, or else above
};

// The left end and the baseline of a label so wide and so high that it meets nothing: where most
// room is above and below it, in the middle of that. Nothing where there is none.
std::optional<std::pair<double, double>> place_of(const Room& room, double wide, double high);

}  // namespace redblue::page
