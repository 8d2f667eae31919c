// Loops up to the elements of an array that a loop has filled.

void lengths(int n, int m, double* w) {
  int length[100];
  for (int i = 0; i < n; i++) length[i] = 2 * i + m;
  for (int i = n - 1; i >= 0; i--)
    for (int j = 0; j < length[i]; j++) w[j] += 1;
}

void chosen(int n, int m, double* w) {
  int length[100];
  for (int i = 0; i < n; i++) {
    if (n == m)
      length[i] = 2 * n;
    else
      length[i] = m;
  }
  for (int i = n - 1; i >= 0; i--) {
    const int end = length[i];
    for (int j = 0; j < end; j++) w[j] += 1;
  }
}

// Not filled by one loop alone.
void changed(int n, double* w) {
  int length[100];
  for (int i = 0; i < n; i++) length[i] = i;
  length[n / 2] = 7;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < length[i]; j++) w[j] += 1;
}

// Filled again and again: what an earlier round has left is read.
void rounds(int n, double* w) {
  int length[100];
  for (int r = n; r > 0; r--) {
    for (int i = 0; i < r; i++) length[i] = r;
    for (int i = 0; i < n; i++)
      for (int j = 0; j < length[i]; j++) w[j] += 1;
  }
}

// Zeros where it is not filled.
static int known[100];
void zeros(int n, double* w) {
  for (int i = 0; i < n; i++) known[i] = 3;
  for (int i = 0; i < 2 * n; i++)
    for (int j = 0; j < known[i]; j++) w[j] += 1;
}

// Two elements in each iteration.
void shifted(int n, double* w) {
  int length[100];
  for (int i = 0; i < n; i++) {
    length[i] = i;
    length[i + 1] = 5;
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < length[i]; j++) w[j] += 1;
}

// Data decide where the last loop begins, between 0 and n.
void rest(int n, int m, const int* a, double* w) {
  int j = 0;
  for (int i = 0; i < n; i++)
    if (a[i] > 3) j++;
  while (j < m) {
    w[j] = 0;
    j++;
  }
}
