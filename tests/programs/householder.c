// Householder QR of an M x N matrix, M >= N.
void householder(int M, int N, double A[M][N], double tau[N], double w[N]) {
  for (int k = 0; k < N; k++) {
    tau[k] = 0;
    for (int i = k; i < M; i++) tau[k] += A[i][k] * A[i][k];
    for (int j = k + 1; j < N; j++) {
      w[j] = 0;
      for (int i = k; i < M; i++) w[j] += A[i][k] * A[i][j];
      for (int i = k; i < M; i++) A[i][j] -= A[i][k] * w[j] * tau[k];
    }
  }
}
