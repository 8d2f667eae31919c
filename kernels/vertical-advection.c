/* Implicit vertical advection of u by w on I x J columns of K levels: a tridiagonal system in each, with
   the old tendency added. */
void vertical_advection(int I, int J, int K, double u[I][J][K], double w[I + 1][J][K], double pos[I][J][K],
                        double tendency[I][J][K], double stage[I][J][K], double dt) {
#pragma scop
  double c[I][J][K], d[I][J][K], x[I][J][K];
  for (int i = 0; i < I; i++)
    for (int j = 0; j < J; j++) {
      c[i][j][0] = (w[i + 1][j][1] + w[i][j][1]) / 4 / (dt - (w[i + 1][j][1] + w[i][j][1]) / 4);
      d[i][j][0] = dt * pos[i][j][0] + tendency[i][j][0] + stage[i][j][0];
      for (int k = 1; k < K - 1; k++) {
        c[i][j][k] = (w[i + 1][j][k + 1] + w[i][j][k + 1]) / 4 / (dt - (w[i + 1][j][k] + w[i][j][k]) / 4 * c[i][j][k - 1]);
        d[i][j][k] = dt * pos[i][j][k] + tendency[i][j][k] + stage[i][j][k] + u[i][j][k + 1] - u[i][j][k - 1] -
                     (w[i + 1][j][k] + w[i][j][k]) / 4 * d[i][j][k - 1];
      }
      x[i][j][K - 1] = d[i][j][K - 2];
      for (int k = K - 2; k >= 0; k--) x[i][j][k] = d[i][j][k] - c[i][j][k] * x[i][j][k + 1];
      for (int k = 0; k < K; k++) stage[i][j][k] = dt * (x[i][j][k] - pos[i][j][k]);
    }
#pragma endscop
}
