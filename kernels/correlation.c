/* Correlations of the M columns of N x M data. */
#include <math.h>

void correlation(int N, int M, double x[N][M], double mean[M], double deviation[M], double corr[M][M]) {
#pragma scop
  for (int j = 0; j < M; j++) {
    mean[j] = 0;
    for (int i = 0; i < N; i++) mean[j] += x[i][j];
    mean[j] /= N;
  }
  for (int j = 0; j < M; j++) {
    deviation[j] = 0;
    for (int i = 0; i < N; i++) deviation[j] += (x[i][j] - mean[j]) * (x[i][j] - mean[j]);
    deviation[j] = sqrt(deviation[j]);
  }
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++) x[i][j] = (x[i][j] - mean[j]) / deviation[j];
  for (int i = 0; i < M; i++)
    for (int j = 0; j <= i; j++) {
      corr[i][j] = 0;
      for (int k = 0; k < N; k++) corr[i][j] += x[k][i] * x[k][j];
    }
#pragma endscop
}
