/* An encoder layer's attention: B sentences of L words, H heads of P values. Queries, keys and values, the
   scores' softmax, the weighted values, the projection back with the residual. */
#include <math.h>

void bert_encoder(int B, int H, int L, int P, double x[B][L][H][P], double wq[H][P][H][P], double wk[H][P][H][P],
                  double wv[H][P][H][P], double wo[H][P][H][P], double q[B][H][L][P], double k[B][H][L][P],
                  double v[B][H][L][P], double score[B][H][L][L], double context[B][L][H][P], double out[B][L][H][P]) {
#pragma scop
  for (int b = 0; b < B; b++)
    for (int h = 0; h < H; h++)
      for (int l = 0; l < L; l++)
        for (int p = 0; p < P; p++) {
          q[b][h][l][p] = 0;
          k[b][h][l][p] = 0;
          v[b][h][l][p] = 0;
          for (int g = 0; g < H; g++)
            for (int r = 0; r < P; r++) {
              q[b][h][l][p] += x[b][l][g][r] * wq[g][r][h][p];
              k[b][h][l][p] += x[b][l][g][r] * wk[g][r][h][p];
              v[b][h][l][p] += x[b][l][g][r] * wv[g][r][h][p];
            }
        }
  for (int b = 0; b < B; b++)
    for (int h = 0; h < H; h++)
      for (int l = 0; l < L; l++) {
        double sum = 0;
        for (int m = 0; m < L; m++) {
          score[b][h][l][m] = 0;
          for (int p = 0; p < P; p++) score[b][h][l][m] += q[b][h][l][p] * k[b][h][m][p];
          score[b][h][l][m] = exp(score[b][h][l][m]);
          sum += score[b][h][l][m];
        }
        for (int m = 0; m < L; m++) score[b][h][l][m] /= sum;
        for (int p = 0; p < P; p++) {
          context[b][l][h][p] = 0;
          for (int m = 0; m < L; m++) context[b][l][h][p] += score[b][h][l][m] * v[b][h][m][p];
        }
      }
  for (int b = 0; b < B; b++)
    for (int l = 0; l < L; l++)
      for (int h = 0; h < H; h++)
        for (int p = 0; p < P; p++) {
          out[b][l][h][p] = x[b][l][h][p];
          for (int g = 0; g < H; g++)
            for (int r = 0; r < P; r++) out[b][l][h][p] += context[b][l][g][r] * wo[g][r][h][p];
        }
#pragma endscop
}
