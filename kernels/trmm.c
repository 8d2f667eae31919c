/* B = A^T B in place, A unit lower triangular. */
void trmm(int M, int N, double A[M][M], double B[M][N]) {
#pragma scop
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++)
      for (int k = i + 1; k < M; k++) B[i][j] += A[k][i] * B[k][j];
#pragma endscop
}
