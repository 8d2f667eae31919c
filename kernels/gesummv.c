/* y = alpha A x + beta B x. */
void gesummv(int N, double A[N][N], double B[N][N], double x[N], double y[N], double alpha, double beta) {
#pragma scop
  for (int i = 0; i < N; i++) {
    double a = 0, b = 0;
    for (int j = 0; j < N; j++) {
      a += A[i][j] * x[j];
      b += B[i][j] * x[j];
    }
    y[i] = alpha * a + beta * b;
  }
#pragma endscop
}
