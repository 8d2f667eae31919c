struct View {
  double* data;
  int h, w;
  double& at(int c, int y, int x) const { return data[(c * h + y) * w + x]; }
};

void conv(int C, int K, int H, int W, View in, const double* filter, View out) {
  for (int k = 0; k < K; ++k)
    for (int y = 0; y < H; ++y)
      for (int x = 0; x < W; ++x)
        for (int c = 0; c < C; ++c) out.at(k, y, x) += in.at(c, y, x) * filter[k * C + c];
}
