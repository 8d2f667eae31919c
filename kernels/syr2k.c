/* Lower triangle of C += A B^T + B A^T. */
void syr2k(int N, int M, double C[N][N], double A[N][M], double B[N][M]) {
#pragma scop
  for (int i = 0; i < N; i++)
    for (int k = 0; k < M; k++)
      for (int j = 0; j <= i; j++) C[i][j] += A[j][k] * B[i][k] + B[j][k] * A[i][k];
#pragma endscop
}
