/* T double sweeps of a three-point average. */
void jacobi_1d(int T, int N, double A[N], double B[N]) {
#pragma scop
  for (int t = 0; t < T; t++) {
    for (int i = 1; i < N - 1; i++) B[i] = (A[i - 1] + A[i] + A[i + 1]) / 3;
    for (int i = 1; i < N - 1; i++) A[i] = (B[i - 1] + B[i] + B[i + 1]) / 3;
  }
#pragma endscop
}
