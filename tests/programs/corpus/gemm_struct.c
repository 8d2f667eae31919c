typedef struct { int rows, cols; double *data; } matrix;
void gemm(const matrix *A, const matrix *B, matrix *C) {
  for (int i = 0; i < C->rows; i++)
    for (int j = 0; j < C->cols; j++)
      for (int k = 0; k < A->cols; k++)
        C->data[i * C->cols + j] += A->data[i * A->cols + k] * B->data[k * B->cols + j];
}
