void passes(int n, double *x) {
  for (int len = 1; len < n; len *= 2)
    for (int i = 0; i + len < n; i++) x[i] += x[i + len];
}
