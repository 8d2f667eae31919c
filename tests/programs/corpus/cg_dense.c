/* Conjugate gradients with a dense matrix. */
void cg(int n, int steps, const double A[n][n], double x[n], double r[n], double p[n]) {
  double q[n];
  double rr = 0;
  for (int i = 0; i < n; i++) rr += r[i] * r[i];
  for (int t = 0; t < steps; t++) {
    for (int i = 0; i < n; i++) {
      q[i] = 0;
      for (int j = 0; j < n; j++) q[i] += A[i][j] * p[j];
    }
    double pq = 0;
    for (int i = 0; i < n; i++) pq += p[i] * q[i];
    double alpha = rr / pq;
    for (int i = 0; i < n; i++) x[i] += alpha * p[i];
    for (int i = 0; i < n; i++) r[i] -= alpha * q[i];
    double next = 0;
    for (int i = 0; i < n; i++) next += r[i] * r[i];
    double beta = next / rr;
    rr = next;
    for (int i = 0; i < n; i++) p[i] = r[i] + beta * p[i];
  }
}
