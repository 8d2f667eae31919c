/* Rows of x to their softmax; x is N x M. */
#include <math.h>

void softmax(int N, int M, double x[N][M]) {
#pragma scop
  for (int i = 0; i < N; i++) {
    double sum = 0;
    for (int j = 0; j < M; j++) x[i][j] = exp(x[i][j]);
    for (int j = 0; j < M; j++) sum += x[i][j];
    for (int j = 0; j < M; j++) x[i][j] = x[i][j] / sum;
  }
#pragma endscop
}
