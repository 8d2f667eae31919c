/* Fourth-order horizontal diffusion with flux limiter on I x J x K cells, as in weather models. */
void horizontal_diffusion(int I, int J, int K, double in[I][J][K], double out[I][J][K], double coefficient) {
#pragma scop
  double lap[I][J][K], fx[I][J][K], fy[I][J][K];
  if (I > 4 && J > 4) {
    for (int i = 1; i < I - 1; i++)
      for (int j = i == 1 || i == I - 2 ? 2 : 1; j < (i == 1 || i == I - 2 ? J - 2 : J - 1); j++)
        for (int k = 0; k < K; k++)
          lap[i][j][k] = 4 * in[i][j][k] - in[i - 1][j][k] - in[i + 1][j][k] - in[i][j - 1][k] - in[i][j + 1][k];
    for (int i = 1; i < I - 2; i++)
      for (int j = 2; j < J - 2; j++)
        for (int k = 0; k < K; k++)
          fx[i][j][k] = (lap[i + 1][j][k] - lap[i][j][k]) * (in[i + 1][j][k] - in[i][j][k]) > 0
                            ? 0
                            : lap[i + 1][j][k] - lap[i][j][k];
    for (int i = 2; i < I - 2; i++)
      for (int j = 1; j < J - 2; j++)
        for (int k = 0; k < K; k++)
          fy[i][j][k] = (lap[i][j + 1][k] - lap[i][j][k]) * (in[i][j + 1][k] - in[i][j][k]) > 0
                            ? 0
                            : lap[i][j + 1][k] - lap[i][j][k];
    for (int i = 2; i < I - 2; i++)
      for (int j = 2; j < J - 2; j++)
        for (int k = 0; k < K; k++)
          out[i][j][k] = in[i][j][k] - coefficient * (fx[i][j][k] - fx[i - 1][j][k] + fy[i][j][k] - fy[i][j - 1][k]);
  }
#pragma endscop
}
