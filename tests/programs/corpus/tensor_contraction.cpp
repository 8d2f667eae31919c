template <typename T>
void contract(int n, const T* A, const T* B, T* C) {
  for (int a = 0; a < n; ++a)
    for (int b = 0; b < n; ++b)
      for (int c = 0; c < n; ++c)
        for (int d = 0; d < n; ++d) C[(a * n + b) * n + c] += A[(a * n + b) * n + d] * B[d * n + c];
}
