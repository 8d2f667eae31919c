#include "decomposition/request.hpp"

namespace redblue {

void check_ranks(const std::string& kernel, int ranks) {
  if (ranks >= 1) return;
  throw Error(kernel + " on " + std::to_string(ranks) + " ranks", "nobody to compute",
              "use at least 1 rank");
}

void check_block(std::optional<std::int64_t> block) {
  if (!block || *block >= 1) return;
  throw Error("blocks of " + std::to_string(*block), "no rows in a block", "use at least 1");
}

std::vector<int> layer_counts(const std::string& kernel, std::optional<int> layers, int ranks) {
  if (layers && (*layers < 1 || *layers > ranks)) {
    throw Error(kernel + " in " + std::to_string(*layers) + " layers",
                std::to_string(ranks) + " ranks", "use 1 to as many layers as ranks");
  }
  if (layers) return {*layers};
  std::vector<int> counts;
  for (int count = 1; count * count * count <= ranks; ++count) counts.push_back(count);
  return counts;
}

std::string grid_name(int layers, int rows, int columns, std::int64_t block) {
  return (layers > 1 ? std::to_string(layers) + " grids " : "grid ") + std::to_string(rows) +
         " x " + std::to_string(columns) + ", blocks of " + std::to_string(block);
}

}  // namespace redblue
