void lu(int n, double A[n][n]) {
  for (int k = 0; k < n; k++) {
    for (int i = k + 1; i < n; i++) {
      A[i][k] /= A[k][k];
      for (int j = k + 1; j < n; j++) {
        double u = A[i][k] * A[k][j];
        A[i][j] -= u;
      }
    }
  }
}
