static int larger(int a, int b) { return a > b ? a : b; }
void lcs(int n, int m, const int *a, const int *b, int L[n + 1][m + 1]) {
  for (int i = 1; i <= n; i++)
    for (int j = 1; j <= m; j++)
      if (a[i - 1] == b[j - 1]) L[i][j] = L[i - 1][j - 1] + 1;
      else L[i][j] = larger(L[i - 1][j], L[i][j - 1]);
}
