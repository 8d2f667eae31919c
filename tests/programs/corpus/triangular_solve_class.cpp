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

void solve(const Matrix<double>& L, Matrix<double>& X) {
  for (int j = 0; j < X.cols(); ++j)
    for (int i = 0; i < X.rows(); ++i) {
      for (int k = 0; k < i; ++k) X(i, j) -= L(i, k) * X(k, j);
      X(i, j) /= L(i, i);
    }
}
