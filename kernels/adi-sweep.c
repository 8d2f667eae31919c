/* T implicit sweeps along the rows of u: a tridiagonal solve forwards, then back. */
void adi_sweep(int T, int N, double u[N][N], double p[N][N], double q[N][N], double a, double b) {
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++) {
      p[i][0] = 0;
      q[i][0] = u[i][0];
      for (int j = 1; j < N - 1; j++) {
        p[i][j] = -a / (a * p[i][j - 1] + b);
        q[i][j] = (u[i][j] - a * q[i][j - 1]) / (a * p[i][j - 1] + b);
      }
      for (int j = N - 2; j >= 1; j--) u[i][j] = p[i][j] * u[i][j + 1] + q[i][j];
    }
#pragma endscop
}
