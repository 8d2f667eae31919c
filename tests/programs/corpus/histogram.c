void histogram(int n, const int *key, int *count) {
  for (int i = 0; i < n; i++) count[key[i]]++;
}
