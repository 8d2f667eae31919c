void gemm(int n, double A[n][n], double B[n][n], double C[n][n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++) {
        double a = A[i][k];
        double b = B[k][j];
        double p = a * b;
        C[i][j] += p;
      }
}
