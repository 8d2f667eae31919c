// Cholesky factorisation of a band matrix of N rows, B of them below the diagonal.
#include <math.h>

#define MIN(a, b) ((a) < (b) ? (a) : (b))

void banded_cholesky(int N, int B, double A[N][N]) {
  for (int k = 0; k < N; k++) {
    A[k][k] = sqrt(A[k][k]);
    for (int i = k + 1; i <= MIN(N - 1, k + B); i++) A[i][k] = A[i][k] / A[k][k];
    for (int i = k + 1; i <= MIN(N - 1, k + B); i++)
      for (int j = k + 1; j <= i; j++) A[i][j] -= A[i][k] * A[j][k];
  }
}
