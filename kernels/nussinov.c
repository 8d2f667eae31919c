/* Nussinov's dynamic program: the most base pairs of each stretch i..j of a sequence. */
#include <math.h>

void nussinov(int N, double base[N], double best[N][N]) {
#pragma scop
  for (int i = N - 1; i >= 0; i--)
    for (int j = i + 1; j < N; j++) {
      best[i][j] = fmax(best[i][j], best[i][j - 1]);
      best[i][j] = fmax(best[i][j], best[i + 1][j]);
      if (i < j - 1)
        best[i][j] = fmax(best[i][j], best[i + 1][j - 1] + (base[i] + base[j] == 3 ? 1 : 0));
      else
        best[i][j] = fmax(best[i][j], best[i + 1][j - 1]);
      for (int k = i + 1; k < j; k++) best[i][j] = fmax(best[i][j], best[i][k] + best[k + 1][j]);
    }
#pragma endscop
}
