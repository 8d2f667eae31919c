void gemm(int n, double A[n][n], double B[n][n], double C[n][n]) {
  int i = 0;
  while (i < n) {
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++) C[i][j] += A[i][k] * B[k][j];
    i++;
  }
}
