/* D2Q9, collide and stream: nine populations, two arrays for each. */
#define SPEED(q, ex, ey, w)                                                                          \
  g##q[y][x] = f##q[y][x] - omega * (f##q[y][x] - w * rho * (1.0 + 3.0 * ((ex) * ux + (ey) * uy) +   \
                                     4.5 * ((ex) * ux + (ey) * uy) * ((ex) * ux + (ey) * uy) -       \
                                     1.5 * (ux * ux + uy * uy)))

void d2q9(int n, int steps, double omega, double f0[n][n], double f1[n][n], double f2[n][n], double f3[n][n],
          double f4[n][n], double f5[n][n], double f6[n][n], double f7[n][n], double f8[n][n]) {
  double g0[n][n], g1[n][n], g2[n][n], g3[n][n], g4[n][n], g5[n][n], g6[n][n], g7[n][n], g8[n][n];
  for (int t = 0; t < steps; t++) {
    for (int y = 0; y < n; y++)
      for (int x = 0; x < n; x++) {
        double rho = f0[y][x] + f1[y][x] + f2[y][x] + f3[y][x] + f4[y][x] + f5[y][x] + f6[y][x] + f7[y][x] + f8[y][x];
        double ux = (f1[y][x] - f3[y][x] + f5[y][x] - f6[y][x] - f7[y][x] + f8[y][x]) / rho;
        double uy = (f2[y][x] - f4[y][x] + f5[y][x] + f6[y][x] - f7[y][x] - f8[y][x]) / rho;
        SPEED(0, 0, 0, 4.0 / 9);
        SPEED(1, 1, 0, 1.0 / 9);
        SPEED(2, 0, 1, 1.0 / 9);
        SPEED(3, -1, 0, 1.0 / 9);
        SPEED(4, 0, -1, 1.0 / 9);
        SPEED(5, 1, 1, 1.0 / 36);
        SPEED(6, -1, 1, 1.0 / 36);
        SPEED(7, -1, -1, 1.0 / 36);
        SPEED(8, 1, -1, 1.0 / 36);
      }
    for (int y = 1; y < n - 1; y++)
      for (int x = 1; x < n - 1; x++) {
        f0[y][x] = g0[y][x];
        f1[y][x] = g1[y][x - 1];
        f2[y][x] = g2[y - 1][x];
        f3[y][x] = g3[y][x + 1];
        f4[y][x] = g4[y + 1][x];
        f5[y][x] = g5[y - 1][x - 1];
        f6[y][x] = g6[y - 1][x + 1];
        f7[y][x] = g7[y + 1][x + 1];
        f8[y][x] = g8[y + 1][x - 1];
      }
  }
}
