void gemm(int n, int m, int l, double **A, double **B, double **C) {
  int i, j, k;
  for (i = 0; i < n; i++) {
    double *c = C[i];
    for (k = 0; k < l; k++) {
      const double a = A[i][k];
      const double *b = B[k];
      for (j = 0; j < m; j++) c[j] += a * b[j];
    }
  }
}
