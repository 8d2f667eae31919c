/* LAPACK's org2r: the first n columns of Q from the reflectors below the diagonal of A. */
void org2r(int m, int n, double A[m][n], const double tau[n]) {
  for (int k = n - 1; k >= 0; k--) {
    for (int j = k + 1; j < n; j++) {
      double sum = 0;
      for (int i = k + 1; i < m; i++) sum += A[i][k] * A[i][j];
      sum *= tau[k];
      A[k][j] = -sum;
      for (int i = k + 1; i < m; i++) A[i][j] -= A[i][k] * sum;
    }
    for (int i = k + 1; i < m; i++) A[i][k] = -A[i][k] * tau[k];
    A[k][k] = 1.0 - tau[k];
  }
}
