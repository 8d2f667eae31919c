#include <math.h>

/* R of a QR factorization as in corpus/givens_rows.c, the same rotations in another order: those of 16 columns j at a time
   (n = 16 N) pass down 16 columns k of A. 16 x 16 values stay while each row of 16 comes, is rotated 16 times and goes. */
void givens(int m, int N, double A[m][16 * N]) {
  double c[16 * N][m], s[16 * N][m];
#pragma scop
  for (int J = 0; J < N; J++)
    for (int K = J; K < N; K++)
      for (int q = m - 1 - 16 * J; q > 0; q--)
        for (int j = 16 * J; j < 16 * J + 16; j++) {
          if (q + j < m) {
            if (K == J) {
              double r = sqrt(A[q + j - 1][j] * A[q + j - 1][j] + A[q + j][j] * A[q + j][j]);
              c[j][q + j] = A[q + j - 1][j] / r;
              s[j][q + j] = A[q + j][j] / r;
            }
            for (int k = 16 * K; k < 16 * K + 16; k++)
              if (k >= j) {
                double upper = c[j][q + j] * A[q + j - 1][k] + s[j][q + j] * A[q + j][k];
                double lower = c[j][q + j] * A[q + j][k] - s[j][q + j] * A[q + j - 1][k];
                A[q + j - 1][k] = upper;
                A[q + j][k] = lower;
              }
          }
        }
#pragma endscop
}
