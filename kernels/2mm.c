/* D = A B C, through E = A B. */
void two_mm(int NI, int NJ, int NK, int NL, double A[NI][NK], double B[NK][NJ], double C[NJ][NL], double D[NI][NL],
         double E[NI][NJ]) {
#pragma scop
  for (int i = 0; i < NI; i++)
    for (int j = 0; j < NJ; j++) {
      E[i][j] = 0;
      for (int k = 0; k < NK; k++) E[i][j] += A[i][k] * B[k][j];
    }
  for (int i = 0; i < NI; i++)
    for (int l = 0; l < NL; l++) {
      D[i][l] = 0;
      for (int j = 0; j < NJ; j++) D[i][l] += E[i][j] * C[j][l];
    }
#pragma endscop
}
