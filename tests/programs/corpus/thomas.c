void solve(int n, const double *a, const double *b, double *c, double *d) {
  c[0] /= b[0];
  d[0] /= b[0];
  for (int i = 1; i < n; i++) {
    double m = 1 / (b[i] - a[i] * c[i - 1]);
    c[i] *= m;
    d[i] = (d[i] - a[i] * d[i - 1]) * m;
  }
  for (int i = n - 2; i >= 0; i--) d[i] -= c[i] * d[i + 1];
}
