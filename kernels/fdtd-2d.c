/* T steps of Yee's scheme in two dimensions: electric field ex, ey, magnetic field hz, a source along
   one edge. */
void fdtd_2d(int T, int NX, int NY, double ex[NX][NY], double ey[NX][NY], double hz[NX][NY], double source[T]) {
#pragma scop
  for (int t = 0; t < T; t++) {
    for (int j = 0; j < NY; j++) ey[0][j] = source[t];
    for (int i = 1; i < NX; i++)
      for (int j = 0; j < NY; j++) ey[i][j] -= (hz[i][j] - hz[i - 1][j]) / 2;
    for (int i = 0; i < NX; i++)
      for (int j = 1; j < NY; j++) ex[i][j] -= (hz[i][j] - hz[i][j - 1]) / 2;
    for (int i = 0; i < NX - 1; i++)
      for (int j = 0; j < NY - 1; j++) hz[i][j] -= 0.7 * (ex[i][j + 1] - ex[i][j] + ey[i + 1][j] - ey[i][j]);
  }
#pragma endscop
}
