#include <algorithm>
#include <string>
#include <vector>

void lcs(int n, int m, const char* a, const char* b, std::vector<int>& L) {
  for (int i = 1; i < n; ++i)
    for (int j = 1; j < m; ++j)
      L[i * m + j] = a[i] == b[j] ? L[(i - 1) * m + j - 1] + 1
                                  : std::max(L[(i - 1) * m + j], L[i * m + j - 1]);
}
