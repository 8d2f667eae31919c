void trsm(int n, int m, const double *L, double *X) {
  for (int j = 0; j < m; j++)
    for (int i = 0; i < n; i++) {
      for (int k = 0; k < i; k++) X[i * m + j] -= L[i * n + k] * X[k * m + j];
      X[i * m + j] /= L[i * n + i];
    }
}
