/* Lower triangle of C += A A^T; C is N x N, A is N x M. */
void syrk(int N, int M, double C[N][N], double A[N][M]) {
#pragma scop
  for (int i = 0; i < N; i++)
    for (int j = 0; j <= i; j++)
      for (int k = 0; k < M; k++) C[i][j] += A[i][k] * A[j][k];
#pragma endscop
}
