/* A layer's direct convolution, stride 1: N images, C channels in, K out, H x W results, filters R x Q. */
void convolution(int N, int C, int K, int H, int W, int R, int Q, double in[N][C][H + R - 1][W + Q - 1],
                 double filter[K][C][R][Q], double out[N][K][H][W]) {
#pragma scop
  for (int n = 0; n < N; n++)
    for (int k = 0; k < K; k++)
      for (int h = 0; h < H; h++)
        for (int w = 0; w < W; w++)
          for (int c = 0; c < C; c++)
            for (int r = 0; r < R; r++)
              for (int q = 0; q < Q; q++) out[n][k][h][w] += in[n][c][h + r][w + q] * filter[k][c][r][q];
#pragma endscop
}
