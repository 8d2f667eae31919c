// Forces of all triples.
void three_body(int N, double X[N], double Y[N], double Z[N], double F[N]) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      for (int k = 0; k < N; k++) F[i] += X[i] * Y[j] * Z[k];
}
