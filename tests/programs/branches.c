// One of two sums for each pair, by which side of the diagonal it is on.
void branches(int M, int N, double A[M], double B[N], double C[M][N], double x[M], double y[N]) {
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++)
      if (i <= j)
        x[i] += A[i] * B[j];
      else
        y[j] += C[i][j] * A[i];
}
