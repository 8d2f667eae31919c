static int least(int a, int b) { return a < b ? a : b; }
void gemm(int n, double A[n][n], double B[n][n], double C[n][n]) {
  int bs = 24;
  for (int ii = 0; ii < n; ii += bs)
    for (int kk = 0; kk < n; kk += bs)
      for (int i = ii; i < least(ii + bs, n); i++)
        for (int k = kk; k < least(kk + bs, n); k++)
          for (int j = 0; j < n; j++) C[i][j] += A[i][k] * B[k][j];
}
