/* Rows are padded by a halo of one element on either side. */
void gemm(int n, const double *A, const double *B, double *C) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        C[(i + 1) * (n + 2) + j + 1] += A[(i + 1) * (n + 2) + k + 1] * B[(k + 1) * (n + 2) + j + 1];
}
