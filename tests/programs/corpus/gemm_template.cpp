#include <cstddef>
#include <vector>

template <typename T>
void gemm(std::size_t n, const std::vector<T>& A, const std::vector<T>& B, std::vector<T>& C) {
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      T sum = T(0);
      for (std::size_t k = 0; k < n; ++k) sum += A[i * n + k] * B[k * n + j];
      C[i * n + j] = sum;
    }
}
