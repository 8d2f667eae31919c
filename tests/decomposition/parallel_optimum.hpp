// SPDX-License-Identifier: BSD-3-Clause
// The fewest words that two ranks can do with, by looking at all schedules of a few products.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace redblue::testing {

// Products that read elements and add to one. An element is given at the start, on one rank, or
// begins as an empty sum; it can be read when all its products are added.
struct TinyKernel {
  struct Element {
    bool given = true;
    int products = 0;
  };
  struct Product {
    std::vector<int> read;
    int added_to = 0;
    int part = 0;  // which of its element's products
  };
  std::vector<Element> elements;
  std::vector<Product> products;

  int element(bool given) {
    elements.push_back({given, 0});
    return static_cast<int>(elements.size()) - 1;
  }
  void product(std::vector<int> read, int added_to) {
    Element& e = elements[static_cast<std::size_t>(added_to)];
    products.push_back({std::move(read), added_to, (e.given ? 1 : 0) + e.products++});
  }
};

TinyKernel tiny_gemm(int m, int n, int k);
TinyKernel tiny_syrk(int n, int k);
TinyKernel tiny_syr2k(int n, int k);
TinyKernel tiny_symm(int n, int m);
TinyKernel tiny_trsm(int n, int m);
TinyKernel tiny_cholesky(int n);
TinyKernel tiny_lu(int m, int n);

// Words received by both ranks together, when each forms at most `most` products and holds at most
// `memory` words, wherever the elements are given; nothing where no schedule exists. A rank holds
// one word of an element at most: a sum of some of its products.
std::optional<int> least_words(const TinyKernel& kernel, int most, int memory);

}  // namespace redblue::testing
