void prefix(int n, const double *x, double *s) {
  s[0] = x[0];
  for (int i = 1; i < n; i++) s[i] = s[i - 1] + x[i];
}
