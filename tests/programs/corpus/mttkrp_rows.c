void mttkrp(int I, int J, int K, int R, double X[I][J][K], double B[J][R], double C[K][R], double A[I][R]) {
  for (int i = 0; i < I; i++)
    for (int j = 0; j < J; j++)
      for (int k = 0; k < K; k++) {
        double x = X[i][j][k];
        double *a = A[i];
        for (int r = 0; r < R; r++) a[r] += x * B[j][r] * C[k][r];
      }
}
