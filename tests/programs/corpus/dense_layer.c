void layer(int batch, int in, int out, const float *x, const float *w, const float *bias, float *y) {
  for (int b = 0; b < batch; b++)
    for (int o = 0; o < out; o++) {
      float s = bias[o];
      for (int i = 0; i < in; i++) s += x[b * in + i] * w[o * in + i];
      y[b * out + o] = s > 0 ? s : 0;
    }
}
