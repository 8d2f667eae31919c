// SPDX-License-Identifier: BSD-3-Clause
// Random summations for tests: letters, operands, extents (0 and 1 included).
#pragma once

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "redblue/einsum_model.hpp"

namespace redblue::test {

struct RandomEinsum {
  std::string text;
  std::map<std::string, std::int64_t> sizes;
};

// At most `letters` letters, one to four operands of at most four letters, extents up to `extent`.
inline RandomEinsum random_einsum(std::mt19937& random, int letters, std::int64_t extent,
                                  bool empty_ones = false) {
  const auto below = [&random](std::int64_t n) {
    return static_cast<std::int64_t>(random() % static_cast<unsigned long>(n));
  };
  RandomEinsum result;
  if (below(8) == 0) {  // products of matrices
    result.text = "bij,bjk->bik";
    for (const char c : {'b', 'i', 'j', 'k'})
      result.sizes["N" + std::string(1, c)] = 1 + below(c == 'b' ? 3 * extent : extent);
    return result;
  }
  std::string used;
  const auto operands = 1 + below(4);
  for (std::int64_t o = 0; o < operands; ++o) {
    std::string operand;
    for (char c = 'a'; c < static_cast<char>('a' + letters); ++c) {
      if (below(2) == 0 && operand.size() < 4) operand += c;
    }
    if (operand.empty()) operand = "a";
    std::shuffle(operand.begin(), operand.end(), random);
    for (const char c : operand) {
      if (used.find(c) == std::string::npos) used += c;
    }
    result.text += (o == 0 ? "" : ",") + operand;
  }
  result.text += "->";
  for (const char c : used) {
    if (below(2) == 0) result.text += c;
  }
  for (const char c : used) {
    const std::int64_t size = empty_ones && below(20) == 0 ? 0 : 1 + below(extent);
    result.sizes["N" + std::string(1, c)] = size;
  }
  return result;
}

// Many values of an index that few tensors, or all, have: each rank has whole ones and parts.
inline RandomEinsum random_batches(std::mt19937& random) {
  static const char* const texts[] = {"bij,bjk->bik", "bik,bkj->bij", "bij,jk,kl->bil",
                                      "bi,bj->bij", "bij,bj->i"};
  RandomEinsum result;
  result.text = texts[random() % std::size(texts)];
  for (const char c : result.text) {
    if (c < 'a' || c > 'z') continue;
    const auto size = static_cast<std::int64_t>(random() % (c == 'b' ? 40U : 16U));
    result.sizes["N" + std::string(1, c)] = 1 + size;
  }
  return result;
}

// Several summations that read tensors more than once, under the same and other letters.
inline RandomEinsum random_program(std::mt19937& random, std::int64_t extent) {
  static const char* const texts[] = {
      "T=ijk,jr->ikr;T,ks->irs",
      "A:ik,A:jk->ij",
      "A:ki,A:kj->ji",
      "A:xia,A:xjb->iajb",
      "A:ik,A:jk,jl->il",
      "A:abk,A:cdk->acbd",
      "A:kab,A:kcd->cdab",
      "A:xyi,A:yxj->ij",
      "T=A:abk,bl->akl;T,T:cdl->acd",
      "T=ij,jk->ik;T,T:jk->ij",
      "T=X:ijk,jr,kr->ir;X,T,kr->jr",
      "T=A:ij,B:jk->ik;U=A,B->j;T,U->ik",
      "S=Q:bij,bkj->bik;S,bkj->bij",
      "X=aB,Bc,cd->ad;X,X:da->",
  };
  RandomEinsum result;
  result.text = texts[random() % std::size(texts)];
  const bool square = result.text.find(':') != std::string::npos;
  const auto side = [&] { return 1 + static_cast<std::int64_t>(random() % unsigned(extent)); };
  const std::int64_t all = side();
  for (const char c : result.text) {
    const bool is_letter = (c >= 'a' && c <= 'z') || c == 'B';
    if (!is_letter || result.text.find(c) == std::string::npos) continue;
    result.sizes["N" + std::string(1, c)] = square ? all : side();
  }
  if (result.text.find("aB") == std::string::npos) result.sizes.erase("NB");  // a name
  return result;
}

// A layout for every tensor, or none.
inline std::vector<std::optional<EinsumLayout>> random_layouts(std::mt19937& random,
                                                               const EinsumShape& shape,
                                                               int ranks) {
  std::vector<std::optional<EinsumLayout>> layouts;
  for (const EinsumTensor& t : shape.tensors) {
    layouts.emplace_back();
    if (random() % 3 == 0) continue;
    EinsumLayout layout;
    int left = ranks;
    for (std::size_t l = 0; l < t.letters.size(); ++l) {
      const int parts = 1 + static_cast<int>(random() % static_cast<unsigned>(left));
      layout.grid.push_back(parts);
      left /= parts;
      layout.block.push_back(static_cast<std::int64_t>(random() % 4));
    }
    if (random() % 3 == 0) layout.block.clear();
    layouts.back() = layout;
  }
  return layouts;
}

inline EinsumShape shape_of(const RandomEinsum& e) {
  return einsum_shape(e.text, e.sizes);
}

}  // namespace redblue::test
