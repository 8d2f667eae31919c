static double dot(int n, const double *x, const double *y) {
  double s = 0;
  for (int k = 0; k < n; k++) s += x[k] * y[k];
  return s;
}
void gemm_transposed(int n, const double *A, const double *B, double *C) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) C[i * n + j] = dot(n, &A[i * n], &B[j * n]);
}
