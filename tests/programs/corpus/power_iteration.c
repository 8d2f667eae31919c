void power(int n, int steps, double A[n][n], double x[n], double y[n]) {
  for (int t = 0; t < steps; t++) {
    for (int i = 0; i < n; i++) {
      y[i] = 0;
      for (int j = 0; j < n; j++) y[i] += A[i][j] * x[j];
    }
    for (int i = 0; i < n; i++) x[i] = y[i];
  }
}
