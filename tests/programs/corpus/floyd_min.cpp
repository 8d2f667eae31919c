#include <algorithm>
#include <vector>

void floyd(std::vector<std::vector<double>>& d) {
  const std::size_t n = d.size();
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) d[i][j] = std::min(d[i][j], d[i][k] + d[k][j]);
}
