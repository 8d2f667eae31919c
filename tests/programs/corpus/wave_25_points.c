// SPDX-License-Identifier: BSD-3-Clause
// An acoustic wave: eighth order in space (25 points), second in time, two fields that take turns, and
// the squared velocity of every point.
void wave(int steps, int n, double u[n][n][n], double w[n][n][n], double velocity[n][n][n], double c0, double c1, double c2,
          double c3, double c4) {
  for (int t = 0; t < steps; t++) {
    for (int z = 4; z < n - 4; z++)
      for (int y = 4; y < n - 4; y++)
        for (int x = 4; x < n - 4; x++) {
          double laplacian =
              c0 * u[z][y][x] +
              c1 * (u[z - 1][y][x] + u[z + 1][y][x] + u[z][y - 1][x] + u[z][y + 1][x] +
                    u[z][y][x - 1] + u[z][y][x + 1]) +
              c2 * (u[z - 2][y][x] + u[z + 2][y][x] + u[z][y - 2][x] + u[z][y + 2][x] +
                    u[z][y][x - 2] + u[z][y][x + 2]) +
              c3 * (u[z - 3][y][x] + u[z + 3][y][x] + u[z][y - 3][x] + u[z][y + 3][x] +
                    u[z][y][x - 3] + u[z][y][x + 3]) +
              c4 * (u[z - 4][y][x] + u[z + 4][y][x] + u[z][y - 4][x] + u[z][y + 4][x] +
                    u[z][y][x - 4] + u[z][y][x + 4]);
          w[z][y][x] = 2 * u[z][y][x] - w[z][y][x] + velocity[z][y][x] * laplacian;
        }
    for (int z = 4; z < n - 4; z++)
      for (int y = 4; y < n - 4; y++)
        for (int x = 4; x < n - 4; x++) {
          double laplacian =
              c0 * w[z][y][x] +
              c1 * (w[z - 1][y][x] + w[z + 1][y][x] + w[z][y - 1][x] + w[z][y + 1][x] +
                    w[z][y][x - 1] + w[z][y][x + 1]) +
              c2 * (w[z - 2][y][x] + w[z + 2][y][x] + w[z][y - 2][x] + w[z][y + 2][x] +
                    w[z][y][x - 2] + w[z][y][x + 2]) +
              c3 * (w[z - 3][y][x] + w[z + 3][y][x] + w[z][y - 3][x] + w[z][y + 3][x] +
                    w[z][y][x - 3] + w[z][y][x + 3]) +
              c4 * (w[z - 4][y][x] + w[z + 4][y][x] + w[z][y - 4][x] + w[z][y + 4][x] +
                    w[z][y][x - 4] + w[z][y][x + 4]);
          u[z][y][x] = 2 * w[z][y][x] - u[z][y][x] + velocity[z][y][x] * laplacian;
        }
  }
}
