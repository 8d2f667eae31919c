void jac(int n, int T, double A[n][n], double B[n][n]) {
  for (int t = 0; t < T; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++) {
        double c = A[i][j];
        double l = A[i][j-1] - c, r = A[i][j+1] - c, o = A[i-1][j] - c, d = A[i+1][j] - c;
        B[i][j] = c + 0.1 * (l + r + o + d);
      }
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++) {
        double c = B[i][j];
        double l = B[i][j-1] - c, r = B[i][j+1] - c, o = B[i-1][j] - c, d = B[i+1][j] - c;
        A[i][j] = c + 0.1 * (l + r + o + d);
      }
  }
}
