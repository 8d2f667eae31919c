void sort(int n, double *x) {
  double p = x[0];
  if (p > 0) sort(n - 1, x);
  x[0] = p;
}
