/* T steps of the alternating-direction implicit method for u_t = u_xx + u_yy: v solves the columns'
   tridiagonal systems, u those of the rows (Thomas: p and q forwards, then back). */
void adi(int T, int N, double u[N][N], double v[N][N], double p[N][N], double q[N][N], double a, double b) {
#pragma scop
  for (int t = 0; t < T; t++) {
    for (int i = 1; i < N - 1; i++) {
      v[0][i] = 1;
      p[i][0] = 0;
      q[i][0] = v[0][i];
      for (int j = 1; j < N - 1; j++) {
        p[i][j] = a / (b - a * p[i][j - 1]);
        q[i][j] = (a * (u[j][i - 1] + u[j][i + 1]) + (1 - 2 * a) * u[j][i] + a * q[i][j - 1]) / (b - a * p[i][j - 1]);
      }
      v[N - 1][i] = 1;
      for (int j = N - 2; j >= 1; j--) v[j][i] = p[i][j] * v[j + 1][i] + q[i][j];
    }
    for (int i = 1; i < N - 1; i++) {
      u[i][0] = 1;
      p[i][0] = 0;
      q[i][0] = u[i][0];
      for (int j = 1; j < N - 1; j++) {
        p[i][j] = a / (b - a * p[i][j - 1]);
        q[i][j] = (a * (v[i - 1][j] + v[i + 1][j]) + (1 - 2 * a) * v[i][j] + a * q[i][j - 1]) / (b - a * p[i][j - 1]);
      }
      u[i][N - 1] = 1;
      for (int j = N - 2; j >= 1; j--) u[i][j] = p[i][j] * u[i][j + 1] + q[i][j];
    }
  }
#pragma endscop
}
