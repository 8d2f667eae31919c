void syrk(int n, int m, double A[n][m], double C[n][n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {
      double s = C[i][j];
      for (int k = 0; k < m; k++) s += A[i][k] * A[j][k];
      C[i][j] = s;
    }
}
