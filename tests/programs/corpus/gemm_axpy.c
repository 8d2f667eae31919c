static void axpy(int n, double a, const double *x, double *y) {
  for (int i = 0; i < n; i++) y[i] += a * x[i];
}
void gemm(int n, const double *A, const double *B, double *C) {
  for (int i = 0; i < n; i++)
    for (int k = 0; k < n; k++) axpy(n, A[i * n + k], B + k * n, C + i * n);
}
