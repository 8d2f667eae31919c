// SPDX-License-Identifier: BSD-3-Clause
#include "decomposition/request.hpp"

#include <algorithm>

namespace redblue {

void check_ranks(const std::string& kernel, int ranks) {
  constexpr int most = 10'000'000;
  const std::string what = kernel + " on " + std::to_string(ranks) + " ranks";
  if (ranks < 1) throw Error(what, "nobody to compute", "use at least 1 rank");
  if (ranks > most) {
    throw Error(what, "too many to compare their plans", "use at most " + std::to_string(most));
  }
}

void check_matrix(const std::string& kernel, std::int64_t rows, std::int64_t columns) {
  constexpr std::int64_t longest = 1'000'000'000'000'000;
  constexpr std::int64_t largest = 1000 * longest;
  const bool fits =
      rows <= longest && columns <= longest && (rows == 0 || columns <= largest / rows);
  if (fits) return;
  throw Error(
      kernel + " with a matrix of " + std::to_string(rows) + " x " + std::to_string(columns),
      "more elements than can be counted",
      "use matrices of at most 10^18 elements, such as 10^9 x 10^9");
}

void check_block(const std::string& kernel, std::optional<std::int64_t> block, std::int64_t rows) {
  if (!block) return;
  constexpr std::int64_t most_steps = 1 << 17;
  const std::string what = kernel + " in blocks of " + std::to_string(*block);
  if (*block < 1) throw Error(what, "no rows in a block", "use at least 1");
  if (rows / *block <= most_steps) return;
  throw Error(what, std::to_string(rows / *block) + " steps",
              "use blocks of at least " + std::to_string(rows / most_steps + 1),
              rows / most_steps + 1);
}

void check_factorization(const std::string& kernel, std::int64_t rows, std::int64_t columns,
                         int ranks, std::optional<std::int64_t> block) {
  if (rows < 0 || columns < 0) {
    throw Error(kernel + " of " + std::to_string(rows) + " x " + std::to_string(columns),
                "a negative size", "use 0 or more");
  }
  check_matrix(kernel, rows, columns);
  check_ranks(kernel, ranks);
  check_block(kernel, block, std::min(rows, columns));
}

std::vector<int> replica_counts(const std::string& kernel, std::optional<int> replicas, int ranks) {
  if (replicas && (*replicas < 1 || *replicas > ranks)) {
    throw Error(kernel + " in " + std::to_string(*replicas) + " layers",
                std::to_string(ranks) + " ranks", "use 1 to as many layers as ranks");
  }
  if (replicas) return {*replicas};
  std::vector<int> counts;
  for (int count = 1; count * count * count <= ranks; ++count) counts.push_back(count);
  return counts;
}

std::vector<int> worker_counts(int ranks) {
  std::vector<int> counts = {ranks};
  // the same counts for any number of ranks, so that more ranks always have the plans of fewer
  std::vector<int> fewer;
  for (std::int64_t count = ranks_that_all_work; count < ranks; count += count / 2) {
    fewer.push_back(static_cast<int>(count));
  }
  counts.insert(counts.end(), fewer.rbegin(), fewer.rend());
  return counts;
}

std::string grid_name(int replicas, int rows, int columns, std::int64_t block) {
  return (replicas > 1 ? std::to_string(replicas) + " grids " : "grid ") + std::to_string(rows) +
         " x " + std::to_string(columns) + ", blocks of " + std::to_string(block);
}

}  // namespace redblue
