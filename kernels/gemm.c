/* C = alpha A B + beta C, row-major: C is NI x NJ, A is NI x NK, B is NK x NJ. */
void gemm(int NI, int NJ, int NK, double alpha, double beta, double C[NI][NJ], double A[NI][NK],
          double B[NK][NJ]) {
#pragma scop
  for (int i = 0; i < NI; i++) {
    for (int j = 0; j < NJ; j++) C[i][j] *= beta;
    for (int k = 0; k < NK; k++)
      for (int j = 0; j < NJ; j++) C[i][j] += alpha * A[i][k] * B[k][j];
  }
#pragma endscop
}
