#include <algorithm>
#include <vector>

constexpr int tile = 16;

void gemm(int n, const std::vector<double>& A, const std::vector<double>& B,
          std::vector<double>& C) {
  for (int ii = 0; ii < n; ii += tile)
    for (int jj = 0; jj < n; jj += tile)
      for (int i = ii; i < std::min(ii + tile, n); ++i)
        for (int j = jj; j < std::min(jj + tile, n); ++j)
          for (int k = 0; k < n; ++k) C[i * n + j] += A[i * n + k] * B[k * n + j];
}
