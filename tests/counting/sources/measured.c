/* What only a run says: how often data choose a branch, a value that the program computes from a
   text, and an inner loop that is reached by two calls with different data. */
#include <stdlib.h>

static double a[1000];
static int rows;

static void lower(int n, double limit) {
  for (int i = 0; i < n; i++) {
    if (a[i] > limit) {
      for (int j = 0; j < 3; j++) a[i] -= 0.5;
    }
  }
}

int main(void) {
  rows = atoi("12") + 10;
  for (int i = 0; i < 40; i++) a[i] = i;
  for (int i = 0; i < rows; i++) a[i] += 1;
  lower(40, 20.5);
  lower(30, 5.5);
  return 0;
}
