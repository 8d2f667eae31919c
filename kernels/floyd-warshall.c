/* All shortest paths. */
#include <math.h>

void floyd_warshall(int N, double D[N][N]) {
#pragma scop
  for (int k = 0; k < N; k++)
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++) D[i][j] = fmin(D[i][j], D[i][k] + D[k][j]);
#pragma endscop
}
