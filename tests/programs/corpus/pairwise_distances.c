void distances(int n, int m, int d, const double *X, const double *Y, double *D) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      double s = 0;
      for (int k = 0; k < d; k++) {
        double diff = X[i * d + k] - Y[j * d + k];
        s += diff * diff;
      }
      D[i * m + j] = s;
    }
}
