// SPDX-License-Identifier: BSD-3-Clause
// The wave of wave_25_points with loops over the radius, and fields by time.
enum { RADIUS = 4 };

void wave(int steps, int n, double u[steps + 2][n][n][n], const double velocity[n][n][n], const double c[RADIUS + 1]) {
  for (int t = 1; t <= steps; t++)
    for (int z = RADIUS; z < n - RADIUS; z++)
      for (int y = RADIUS; y < n - RADIUS; y++)
        for (int x = RADIUS; x < n - RADIUS; x++) {
          double laplacian = 3 * c[0] * u[t][z][y][x];
          for (int r = 1; r <= RADIUS; r++) {
            laplacian += c[r] * (u[t][z - r][y][x] + u[t][z + r][y][x]);
            laplacian += c[r] * (u[t][z][y - r][x] + u[t][z][y + r][x]);
            laplacian += c[r] * (u[t][z][y][x - r] + u[t][z][y][x + r]);
          }
          u[t + 1][z][y][x] = 2 * u[t][z][y][x] - u[t - 1][z][y][x] + velocity[z][y][x] * laplacian;
        }
}
