/* y = A^T (A x). */
void atax(int M, int N, double A[M][N], double x[N], double y[N]) {
#pragma scop
  for (int j = 0; j < N; j++) y[j] = 0;
  for (int i = 0; i < M; i++) {
    double ax = 0;
    for (int j = 0; j < N; j++) ax += A[i][j] * x[j];
    for (int j = 0; j < N; j++) y[j] += A[i][j] * ax;
  }
#pragma endscop
}
