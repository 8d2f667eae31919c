#define BLOCK 32
static int least(int a, int b) { return a < b ? a : b; }
void gemm(int n, double A[n][n], double B[n][n], double C[n][n]) {
  for (int ii = 0; ii < n; ii += BLOCK)
    for (int jj = 0; jj < n; jj += BLOCK)
      for (int kk = 0; kk < n; kk += BLOCK)
        for (int i = ii; i < least(ii + BLOCK, n); i++)
          for (int j = jj; j < least(jj + BLOCK, n); j++)
            for (int k = kk; k < least(kk + BLOCK, n); k++) C[i][j] += A[i][k] * B[k][j];
}
