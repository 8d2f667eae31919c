/* Each row of A times C4, in place. */
void doitgen(int NR, int NQ, int NP, double A[NR][NQ][NP], double C4[NP][NP]) {
#pragma scop
  for (int r = 0; r < NR; r++)
    for (int q = 0; q < NQ; q++) {
      double sum[NP];
      for (int p = 0; p < NP; p++) {
        sum[p] = 0;
        for (int s = 0; s < NP; s++) sum[p] += A[r][q][s] * C4[s][p];
      }
      for (int p = 0; p < NP; p++) A[r][q][p] = sum[p];
    }
#pragma endscop
}
