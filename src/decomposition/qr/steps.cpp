// SPDX-License-Identifier: BSD-3-Clause
#include "decomposition/qr/steps.hpp"

#include <algorithm>

#include "decomposition/doubling.hpp"
#include "decomposition/ownership.hpp"

namespace redblue {

std::vector<int> tree_children(int place, int places) {
  std::vector<int> children;
  for (int distance = 1; place + distance < places && (place & distance) == 0; distance *= 2) {
    children.push_back(place + distance);
  }
  return children;
}

int tree_parent(int place) {
  return place & (place - 1);
}

namespace {

// Within a group panels are applied one by one to the columns of the others: its width is a small
// part of the matrix's.
std::int64_t group_limit(std::int64_t columns, std::int64_t block) {
  constexpr std::int64_t widest = 128;
  constexpr std::int64_t least_groups = 8;
  return std::max(block, std::min(widest, columns / least_groups));
}

}  // namespace

QrSteps::QrSteps(const QrDecomposition& d, std::int64_t reflectors) : d_(d) {
  const std::int64_t columns = std::min({d.m, d.n, reflectors});
  const std::int64_t limit = group_limit(columns, d.block);
  for (std::int64_t at = 0; at < columns;) {
    const std::int64_t end = std::min({columns, d.across.block_end(at), at + d.block});
    if (groups_.empty() || end - groups_.back().begin() > limit) groups_.emplace_back();
    QrGroup& group = groups_.back();
    group.panels.push_back({{at, end}, d.across.owner(at)});
    widest_ = std::max(widest_, end - at);
    widest_group_ = std::max(widest_group_, group.width());
    most_panels_ = std::max(most_panels_, static_cast<std::int64_t>(group.panels.size()));
    at = end;
  }
}

std::vector<std::int64_t> QrSteps::top_rows(const QrPanel& panel, int grid_row) const {
  std::vector<std::int64_t> rows;
  for (std::int64_t row = panel.begin(); row < panel.columns.end;) {
    const std::int64_t end = std::min(panel.columns.end, d_.down.block_end(row));
    for (; row < end; ++row) {
      if (d_.down.owner(end - 1) == grid_row) rows.push_back(row - panel.begin());
    }
  }
  return rows;
}

std::int64_t QrSteps::known_vectors(const QrPanel& panel, int grid_row) const {
  std::int64_t known = 0;
  for (const std::int64_t row : top_rows(panel, grid_row)) known += panel.width() - row;
  return known;
}

std::vector<int> QrSteps::active(std::int64_t row) const {
  std::vector<int> result;
  for (int r = 0; r < d_.grid_rows(); ++r) {
    if (rows_from(r, row) > 0) result.push_back(r);
  }
  return result;
}

QrRoles QrSteps::roles(const QrPanel& panel) const {
  const int grid_rows = d_.grid_rows();
  const int first = d_.down.owner(panel.begin());
  const std::int64_t width = panel.width();
  QrRoles roles;
  roles.active = active(panel.begin());
  roles.root = first;
  for (int turn = 0; turn < grid_rows; ++turn) {
    const int r = (first + turn) % grid_rows;
    if (rows_from(r, panel.begin()) < width) continue;
    roles.root = r;
    break;
  }
  roles.members.push_back(roles.root);
  for (int turn = 1; turn < grid_rows; ++turn) {
    const int r = (roles.root + turn) % grid_rows;
    if (rows_from(r, panel.columns.end) >= width) roles.members.push_back(r);
  }
  for (int r = 0; r < grid_rows; ++r) {
    if (r == roles.root) continue;
    const bool member = rows_from(r, panel.columns.end) >= width;
    if (!member) roles.others.push_back(r);
    const std::int64_t given = member ? count_top_rows(panel, r) : rows_from(r, panel.begin());
    if (given > 0) roles.givers.push_back({r, given});
  }
  return roles;
}

std::int64_t QrSteps::most_rows(int grid_row) const {
  const std::int64_t own = rows_from(grid_row, 0);
  return std::min(d_.m,
                  own + widest_ + std::max<std::int64_t>(0, widest_ - 1) * (d_.grid_rows() - 1));
}

QrBuffers qr_buffers(const QrSteps& steps, int grid_row, std::int64_t columns) {
  const std::int64_t width = steps.widest();
  const std::int64_t own = steps.rows_from(grid_row, 0);
  const std::int64_t most = steps.most_rows(grid_row);
  const std::int64_t group = steps.widest_group();
  const std::int64_t panels = steps.most_panels();
  return {most * width,
          own * group + panels * triangle_words(width),
          group * columns,
          width * columns,
          (qr_squares + 2 * count_doubling_stages(steps.grid_rows())) * width * width,
          panels * width * width + group * group,
          (most - own) * width};
}

std::vector<std::int64_t> column_pieces(std::int64_t columns, std::int64_t height,
                                        std::int64_t pieces) {
  std::vector<std::int64_t> begins;
  for (std::int64_t p = 0; p < pieces; ++p) {
    begins.push_back(height * round_of({0, columns}, p, pieces).begin);
  }
  begins.push_back(height * columns);
  return begins;
}

}  // namespace redblue
