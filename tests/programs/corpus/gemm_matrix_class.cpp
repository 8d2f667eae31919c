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

void multiply(const Matrix<double>& A, const Matrix<double>& B, Matrix<double>& C) {
  for (int i = 0; i < A.rows(); ++i)
    for (int j = 0; j < B.cols(); ++j)
      for (int k = 0; k < A.cols(); ++k) C(i, j) += A(i, k) * B(k, j);
}
