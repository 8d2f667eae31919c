#include <math.h>
void attention(int N, int D, double Q[N][D], double K[N][D], double V[N][D], double O[N][D]) {
  double S[N][N], l[N];
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      S[i][j] = 0;
      for (int k = 0; k < D; k++) S[i][j] += Q[i][k] * K[j][k];
    }
  for (int i = 0; i < N; i++) {
    l[i] = 0;
    for (int j = 0; j < N; j++) l[i] += exp(S[i][j]);
  }
  for (int i = 0; i < N; i++)
    for (int d = 0; d < D; d++)
      for (int j = 0; j < N; j++) O[i][d] += exp(S[i][j]) / l[i] * V[j][d];
}
