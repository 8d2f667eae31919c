/* LeNet-5 on N images of C x H x W: two 5 x 5 convolutions (6 and 16 maps) each halved by averages, then
   dense layers to 120, 84 and 10. H and W are those after the second halving; sizes between follow. */
void lenet_5(int N, int C, int H, int W, double in[N][C][4 * H + 12][4 * W + 12], double f1[6][C][5][5],
             double c1[N][6][4 * H + 8][4 * W + 8], double p1[N][6][2 * H + 4][2 * W + 4], double f2[16][6][5][5],
             double c2[N][16][2 * H][2 * W], double p2[N][16][H][W], double d1[120][16][H][W], double h1[N][120],
             double d2[84][120], double h2[N][84], double d3[10][84], double out[N][10]) {
#pragma scop
  for (int n = 0; n < N; n++)
    for (int m = 0; m < 6; m++)
      for (int h = 0; h < 4 * H + 8; h++)
        for (int w = 0; w < 4 * W + 8; w++)
          for (int c = 0; c < C; c++)
            for (int r = 0; r < 5; r++)
              for (int q = 0; q < 5; q++) c1[n][m][h][w] += in[n][c][h + r][w + q] * f1[m][c][r][q];
  for (int n = 0; n < N; n++)
    for (int m = 0; m < 6; m++)
      for (int h = 0; h < 2 * H + 4; h++)
        for (int w = 0; w < 2 * W + 4; w++)
          p1[n][m][h][w] = c1[n][m][2 * h][2 * w] + c1[n][m][2 * h + 1][2 * w] + c1[n][m][2 * h][2 * w + 1] +
                           c1[n][m][2 * h + 1][2 * w + 1];
  for (int n = 0; n < N; n++)
    for (int m = 0; m < 16; m++)
      for (int h = 0; h < 2 * H; h++)
        for (int w = 0; w < 2 * W; w++)
          for (int c = 0; c < 6; c++)
            for (int r = 0; r < 5; r++)
              for (int q = 0; q < 5; q++) c2[n][m][h][w] += p1[n][c][h + r][w + q] * f2[m][c][r][q];
  for (int n = 0; n < N; n++)
    for (int m = 0; m < 16; m++)
      for (int h = 0; h < H; h++)
        for (int w = 0; w < W; w++)
          p2[n][m][h][w] = c2[n][m][2 * h][2 * w] + c2[n][m][2 * h + 1][2 * w] + c2[n][m][2 * h][2 * w + 1] +
                           c2[n][m][2 * h + 1][2 * w + 1];
  for (int n = 0; n < N; n++)
    for (int o = 0; o < 120; o++)
      for (int m = 0; m < 16; m++)
        for (int h = 0; h < H; h++)
          for (int w = 0; w < W; w++) h1[n][o] += d1[o][m][h][w] * p2[n][m][h][w];
  for (int n = 0; n < N; n++)
    for (int o = 0; o < 84; o++)
      for (int i = 0; i < 120; i++) h2[n][o] += d2[o][i] * h1[n][i];
  for (int n = 0; n < N; n++)
    for (int o = 0; o < 10; o++)
      for (int i = 0; i < 84; i++) out[n][o] += d3[o][i] * h2[n][i];
#pragma endscop
}
