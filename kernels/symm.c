/* C = beta C + alpha A B; A is M x M, symmetric, its lower triangle stored; B and C are M x N. */
void symm(int M, int N, double A[M][M], double B[M][N], double C[M][N], double alpha, double beta) {
#pragma scop
  double dot;
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++) {
      dot = 0;
      for (int k = 0; k < i; k++) {
        C[k][j] += alpha * B[i][j] * A[i][k];
        dot += B[k][j] * A[i][k];
      }
      C[i][j] = beta * C[i][j] + alpha * B[i][j] * A[i][i] + alpha * dot;
    }
#pragma endscop
}
