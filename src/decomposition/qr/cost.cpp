// SPDX-License-Identifier: BSD-3-Clause
// What every rank receives in a QR factorization, panel by panel.
#include <algorithm>

#include "decomposition/cost.hpp"
#include "decomposition/doubling.hpp"
#include "decomposition/qr/steps.hpp"
#include "decomposition/received.hpp"

namespace redblue {

namespace {

struct Count {
  std::int64_t words = 0;
  std::int64_t messages = 0;
  void add(std::int64_t more) {
    words += more;
    ++messages;
  }
  void add(const Count& other) {
    words += other.words;
    messages += other.messages;
  }
};

// The ranks of the grid column that factors the panel, by grid rows.
std::vector<Count> of_panel(const QrPanel& panel, const QrRoles& roles, int grid_rows) {
  const std::int64_t width = panel.width();
  const std::int64_t triangle = triangle_words(width);
  std::vector<Count> counts(static_cast<std::size_t>(grid_rows));
  const auto at = [&](int r) -> Count& { return counts[static_cast<std::size_t>(r)]; };
  for (const QrGiver& g : roles.givers) {
    at(roles.root).add(g.rows * width);
    at(g.row).add(g.rows * width);
  }
  // R of every child; what a member's Q is multiplied by, and T
  const auto members = static_cast<int>(roles.members.size());
  for (int i = 0; i < members; ++i) {
    Count& c = at(roles.members[static_cast<std::size_t>(i)]);
    for (std::size_t child = 0; child < tree_children(i, members).size(); ++child) c.add(triangle);
    if (i > 0) c.add(2 * triangle);
  }
  for (const int r : roles.others) at(r).add(triangle);
  return counts;
}

// V^H C is added up, and T^H V^H C comes back: of the member of a line that shares the pieces.
Count of_product(std::int64_t member, const std::vector<std::int64_t>& pieces) {
  Count c;
  const auto count = static_cast<std::int64_t>(pieces.size()) - 1;
  for (const DoublingStage& s : doubling_stages(count)) {
    for (const std::int64_t first : {member, member + s.distance}) {
      const std::int64_t words = block_words(pieces, first, s.blocks);
      if (words > 0) c.add(words);
    }
  }
  return c;
}

class Received {
 public:
  Received(const QrDecomposition& d, const QrSteps& steps)
      : d_(d),
        steps_(steps),
        counts_(static_cast<std::size_t>(d.grid_rows()) *
                static_cast<std::size_t>(d.grid_columns())),
        work_(counts_.size()) {
    for (const QrGroup& group : steps.groups()) {
      for (const QrPanel& panel : group.panels) add(panel, group);
    }
  }
  const std::vector<Count>& counts() const { return counts_; }
  double most_work() const {
    return work_.empty() ? 0 : *std::max_element(work_.begin(), work_.end());
  }

 private:
  void add(const QrPanel& panel, const QrGroup& group) {
    const QrRoles roles = steps_.roles(panel);
    const std::vector<Count> in_column = of_panel(panel, roles, d_.grid_rows());
    std::vector<std::int64_t> known;
    for (int row = 0; row < d_.grid_rows(); ++row)
      known.push_back(steps_.known_vectors(panel, row));
    for (int column = 0; column < d_.grid_columns(); ++column) {
      const std::int64_t behind = steps_.columns_from(column, panel.columns.end);
      const std::int64_t later = steps_.columns_from(column, group.end());
      for (int row = 0; row < d_.grid_rows(); ++row) {
        const std::size_t rank = place(row, column);
        const std::int64_t rows = steps_.rows_from(row, panel.begin());
        if (column == panel.grid_column) {
          counts_[rank].add(in_column[static_cast<std::size_t>(row)]);
          constexpr double each = 3;  // R, T, V: rows times width^2
          work_[rank] += each * static_cast<double>(rows * panel.width() * panel.width());
        } else {
          const bool updates = rows > 0 && behind > 0;
          counts_[rank].add(updates ? rows * panel.width() + triangle_words(panel.width()) -
                                          known[static_cast<std::size_t>(row)]
                                    : panel.width());
        }
        work_[rank] += 2 * static_cast<double>(rows * panel.width()) * static_cast<double>(behind);
        // with the vectors before it in the group
        if (later > 0)
          work_[rank] +=
              static_cast<double>(rows * panel.width() * (panel.begin() - group.begin()));
      }
      add_product(panel, column, behind - later, roles.active);
      add_product(panel, column, later, roles.active);
    }
  }
  void add_product(const QrPanel& panel, int column, std::int64_t columns,
                   const std::vector<int>& active) {
    const auto sharers = static_cast<std::int64_t>(active.size());
    if (columns == 0 || sharers < 2) return;
    const std::vector<std::int64_t> pieces = column_pieces(columns, panel.width(), sharers);
    for (std::int64_t i = 0; i < sharers; ++i) {
      counts_[place(active[static_cast<std::size_t>(i)], column)].add(of_product(i, pieces));
    }
  }
  std::size_t place(int row, int column) const {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(d_.grid_columns()) +
           static_cast<std::size_t>(column);
  }

  const QrDecomposition& d_;
  const QrSteps& steps_;
  std::vector<Count> counts_;
  std::vector<double> work_;
};

}  // namespace

Cost cost_of(const QrDecomposition& d, const Machine& machine) {
  const QrSteps steps(d);
  const Received received(d, steps);
  Cost cost;
  double total = 0;
  for (const Count& c : received.counts()) {
    cost.words = std::max(cost.words, Words(c.words));
    cost.messages = std::max(cost.messages, Messages(c.messages));
    total += static_cast<double>(c.words);
  }
  cost.mean_words = total / d.ranks;
  cost.work = received.most_work();
  for (int row = 0; row < d.grid_rows(); ++row) {
    for (int column = 0; column < d.grid_columns(); ++column) {
      const std::int64_t columns = steps.columns_from(column, 0);
      const std::int64_t share = d.in_place ? 0 : steps.rows_from(row, 0) * columns;
      const std::int64_t buffers = qr_buffers(steps, row, columns).total();
      cost.resident = std::max(cost.resident, Words(share));
      // from and to the caller's layout: a share is sent and one received
      const std::int64_t beside = d.in_place ? buffers : std::max(buffers, 2 * share + 2 * d.n);
      cost.memory = std::max(cost.memory, Words(share + beside));
    }
  }
  cost.seconds = predicted_seconds(cost, machine);
  return cost;
}

}  // namespace redblue
