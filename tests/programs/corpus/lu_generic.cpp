#include <vector>

template <typename T>
class Matrix {
 public:
  Matrix(int rows, int cols) : rows_(rows), cols_(cols), data_(rows * cols) {}
  T& operator()(int i, int j) { return data_[i * cols_ + j]; }
  const T& operator()(int i, int j) const { return data_[i * cols_ + j]; }
  int rows() const { return rows_; }
  int cols() const { return cols_; }

 private:
  int rows_, cols_;
  std::vector<T> data_;
};

template <class M>
void factor(M& A, int n) {
  for (int k = 0; k < n; ++k)
    for (int i = k + 1; i < n; ++i) {
      A(i, k) /= A(k, k);
      for (int j = k + 1; j < n; ++j) A(i, j) -= A(i, k) * A(k, j);
    }
}

void solve(Matrix<double>& A) {
  factor(A, A.rows());
}
