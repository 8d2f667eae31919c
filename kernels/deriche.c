/* Deriche's recursive smoothing of a W x H image: causal and anticausal second-order filters along
   both axes, their sums scaled. */
void deriche(int W, int H, double in[W][H], double y1[W][H], double y2[W][H], double out[W][H], double a1, double a2,
             double a3, double a4, double b1, double b2, double c) {
#pragma scop
  for (int i = 0; i < W; i++) {
    double before = 0, one = 0, two = 0;
    for (int j = 0; j < H; j++) {
      y1[i][j] = a1 * in[i][j] + a2 * before + b1 * one + b2 * two;
      before = in[i][j];
      two = one;
      one = y1[i][j];
    }
  }
  for (int i = 0; i < W; i++) {
    double in1 = 0, in2 = 0, one = 0, two = 0;
    for (int j = H - 1; j >= 0; j--) {
      y2[i][j] = a3 * in1 + a4 * in2 + b1 * one + b2 * two;
      in2 = in1;
      in1 = in[i][j];
      two = one;
      one = y2[i][j];
    }
  }
  for (int i = 0; i < W; i++)
    for (int j = 0; j < H; j++) out[i][j] = c * (y1[i][j] + y2[i][j]);
  for (int j = 0; j < H; j++) {
    double before = 0, one = 0, two = 0;
    for (int i = 0; i < W; i++) {
      y1[i][j] = a1 * out[i][j] + a2 * before + b1 * one + b2 * two;
      before = out[i][j];
      two = one;
      one = y1[i][j];
    }
  }
  for (int j = 0; j < H; j++) {
    double in1 = 0, in2 = 0, one = 0, two = 0;
    for (int i = W - 1; i >= 0; i--) {
      y2[i][j] = a3 * in1 + a4 * in2 + b1 * one + b2 * two;
      in2 = in1;
      in1 = out[i][j];
      two = one;
      one = y2[i][j];
    }
  }
  for (int i = 0; i < W; i++)
    for (int j = 0; j < H; j++) out[i][j] = c * (y1[i][j] + y2[i][j]);
#pragma endscop
}
