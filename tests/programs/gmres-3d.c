#include <math.h>
// Arnoldi's process of GMRES for the 7-point Laplacian on an N x N x N grid, M iterations, with
// classical Gram-Schmidt: v[0] .. v[M] become an orthonormal basis, h the Hessenberg matrix.
void gmres_3d(int M, int N, double v[M + 1][N][N][N], double w[N][N][N], double h[M + 1][M],
              double norm[M]) {
#pragma scop
  for (int m = 0; m < M; m++) {
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        for (int k = 1; k < N - 1; k++)
          w[i][j][k] = 6 * v[m][i][j][k] - v[m][i - 1][j][k] - v[m][i + 1][j][k] -
                       v[m][i][j - 1][k] - v[m][i][j + 1][k] - v[m][i][j][k - 1] -
                       v[m][i][j][k + 1];
    for (int l = 0; l <= m; l++) {
      h[l][m] = 0;
      for (int i = 1; i < N - 1; i++)
        for (int j = 1; j < N - 1; j++)
          for (int k = 1; k < N - 1; k++) h[l][m] += w[i][j][k] * v[l][i][j][k];
    }
    for (int l = 0; l <= m; l++)
      for (int i = 1; i < N - 1; i++)
        for (int j = 1; j < N - 1; j++)
          for (int k = 1; k < N - 1; k++) w[i][j][k] -= h[l][m] * v[l][i][j][k];
    norm[m] = 0;
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        for (int k = 1; k < N - 1; k++) norm[m] += w[i][j][k] * w[i][j][k];
    h[m + 1][m] = sqrt(norm[m]);
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        for (int k = 1; k < N - 1; k++) v[m + 1][i][j][k] = w[i][j][k] / h[m + 1][m];
  }
#pragma endscop
}
