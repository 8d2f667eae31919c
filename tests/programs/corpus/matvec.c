void matvec(int n, int m, const double *restrict A, const double *restrict x, double *restrict y) {
  for (int i = 0; i < n; i++) {
    double t = 0;
    for (int j = 0; j < m; j++) t += A[i * m + j] * x[j];
    y[i] = t;
  }
}
