/* Matricised tensor times Khatri-Rao product: M(i,r) += X(i,j,k) B(j,r) C(k,r). */
void mttkrp(int I, int J, int K, int R, double X[I][J][K], double B[J][R], double C[K][R], double M[I][R]) {
#pragma scop
  for (int i = 0; i < I; i++)
    for (int j = 0; j < J; j++)
      for (int k = 0; k < K; k++)
        for (int r = 0; r < R; r++) M[i][r] += X[i][j][k] * B[j][r] * C[k][r];
#pragma endscop
}
