#include <span>

void gemm(int n, std::span<const double> A, std::span<const double> B, std::span<double> C) {
  auto at = [n](int i, int j) { return i * n + j; };
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k) C[at(i, j)] += A[at(i, k)] * B[at(k, j)];
}
