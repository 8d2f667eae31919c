void conv(int N, int C, int K, int H, int W, int R, double in[N][C][H + R][W + R], double w[K][C][R][R], double out[N][K][H][W]) {
  for (int n = 0; n < N; n++)
    for (int k = 0; k < K; k++)
      for (int h = 0; h < H; h++)
        for (int x = 0; x < W; x++)
          for (int c = 0; c < C; c++)
            for (int r = 0; r < R; r++)
              for (int s = 0; s < R; s++) out[n][k][h][x] += in[n][c][h + r][x + s] * w[k][c][r][s];
}
