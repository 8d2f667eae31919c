/* A = L L^T in place, lower triangle, left-looking. */
#include <math.h>

void cholesky(int N, double A[N][N]) {
#pragma scop
  for (int j = 0; j < N; j++) {
    for (int k = 0; k < j; k++)
      for (int i = j; i < N; i++) A[i][j] -= A[i][k] * A[j][k];
    A[j][j] = sqrt(A[j][j]);
    for (int i = j + 1; i < N; i++) A[i][j] /= A[j][j];
  }
#pragma endscop
}
