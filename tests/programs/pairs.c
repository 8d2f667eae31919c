void pairs(int N, double F[N], double P[N]) {
#pragma scop
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      F[i] += P[i] * P[j];
#pragma endscop
}
