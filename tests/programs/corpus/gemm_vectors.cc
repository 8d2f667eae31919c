#include <vector>

using Table = std::vector<std::vector<double>>;

Table multiply(const Table& A, const Table& B) {
  const auto n = A.size(), m = B[0].size(), l = B.size();
  Table C(n, std::vector<double>(m, 0.0));
  for (std::size_t i = 0; i < n; ++i) {
    auto& row = C[i];
    for (std::size_t k = 0; k < l; ++k) {
      const double a = A[i][k];
      for (std::size_t j = 0; j < m; ++j) row[j] += a * B[k][j];
    }
  }
  return C;
}
