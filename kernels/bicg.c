/* q = A p and s = A^T r, the two products of a step of BiCG; A is N x M. */
void bicg(int N, int M, double A[N][M], double p[M], double q[N], double r[N], double s[M]) {
#pragma scop
  for (int j = 0; j < M; j++) s[j] = 0;
  for (int i = 0; i < N; i++) {
    q[i] = 0;
    for (int j = 0; j < M; j++) {
      s[j] += r[i] * A[i][j];
      q[i] += A[i][j] * p[j];
    }
  }
#pragma endscop
}
