/* Order of a product of matrices: the fewest multiplications for each stretch i..j of the chain. */
#include <math.h>

void matrix_chain(int N, double rows[N + 1], double fewest[N][N]) {
#pragma scop
  for (int i = N - 1; i >= 0; i--)
    for (int j = i + 1; j < N; j++)
      for (int k = i; k < j; k++)
        fewest[i][j] = fmin(fewest[i][j], fewest[i][k] + fewest[k + 1][j] + rows[i] * rows[k + 1] * rows[j + 1]);
#pragma endscop
}
