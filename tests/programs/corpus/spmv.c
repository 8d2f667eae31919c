void spmv(int n, const int *start, const int *col, const double *a, const double *x, double *y) {
  for (int i = 0; i < n; i++)
    for (int k = start[i]; k < start[i + 1]; k++) y[i] += a[k] * x[col[k]];
}
