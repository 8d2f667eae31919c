#include <math.h>

/* R of a QR factorization: Givens rotations of neighbouring rows, from below, column by column. */
void givens(int m, int n, double A[m][n]) {
  for (int j = 0; j < n; j++)
    for (int i = m - 1; i > j; i--) {
      double r = sqrt(A[i - 1][j] * A[i - 1][j] + A[i][j] * A[i][j]);
      double c = A[i - 1][j] / r;
      double s = A[i][j] / r;
      for (int k = j; k < n; k++) {
        double upper = c * A[i - 1][k] + s * A[i][k];
        double lower = c * A[i][k] - s * A[i - 1][k];
        A[i - 1][k] = upper;
        A[i][k] = lower;
      }
    }
}
