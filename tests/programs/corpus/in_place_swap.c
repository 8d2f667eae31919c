void swap_rows(int n, double A[n][n]) {
  for (int j = 0; j < n; j++) {
    double t = A[0][j];
    A[0][j] = A[1][j];
    A[1][j] = t;
  }
}
