// SPDX-License-Identifier: BSD-3-Clause
#include "decomposition/einsum/bisection.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "decomposition/einsum/footprint.hpp"
#include "redblue/gemm_model.hpp"

namespace redblue::einsum {

namespace {

// `first` ranks take the lower part of side `axis`, up to `length`. -1: one rank works on the box.
struct Cut {
  int axis = -1;
  int first = 0;
  std::int64_t length = 0;
};

using Box = std::vector<std::int64_t>;  // whole sides

Sides real(const Box& box) {
  return {box.begin(), box.end()};
}

class Space {
 public:
  using Box = einsum::Box;
  using Cut = einsum::Cut;
  using Key = std::pair<int, Box>;

  Space(const EinsumShape& shape, int ranks, double most_work, const std::vector<std::size_t>& kept)
      : p_(projections(shape)), most_work_(most_work), is_kept_(shape.indices.size(), false) {
    for (const std::size_t t : kept) is_kept_[t] = true;
    const double each = std::max(1.0, shape.products() / ranks);
    exponents_ = exponents(p_, best_box(p_, each));
  }

  static bool is_whole(int ranks, const Box& box) { return ranks == 1 || volume(box) < 2; }
  double words(const Box& box) const {
    return volume(box) <= most_work_ * (1 + 1e-12) ? footprint(p_, real(box)) : INFINITY;
  }

  double least(int ranks, const Box& box, Measure measure) const {
    const double all = volume(box);
    const double each = exponents_.least_footprint(p_, std::max(1.0, all / ranks), real(box));
    return measure == Measure::total ? each * std::min<double>(ranks, all) : each;
  }

  static Key key(int ranks, const Box& box) { return {ranks, box}; }

  // Even splits first, and of the sides those whose cut leaves the least. Only where both parts
  // have no more work than their ranks may do.
  std::vector<Cut> cuts(int ranks, const Box& box) const {
    const std::vector<int> order = sides_to_halve(p_, real(box));
    std::vector<Cut> result;
    const double all = volume(box);
    for (int first = ranks / 2; first >= fewest_on_a_part(ranks); --first) {
      for (const int axis : order) {
        if (is_kept_[static_cast<std::size_t>(axis)]) continue;
        const std::int64_t side = box[static_cast<std::size_t>(axis)];
        const auto length = std::clamp<std::int64_t>(
            std::llround(static_cast<double>(side) * first / ranks), 1, side - 1);
        const double low = all / static_cast<double>(side) * static_cast<double>(length);
        const double most = most_work_ * (1 + 1e-12);
        if (low > most * first || all - low > most * (ranks - first)) continue;
        result.push_back({axis, first, length});
      }
    }
    return result;
  }

  static std::pair<Box, Box> parts(int, const Box& box, const Cut& cut) {
    Box low = box;
    Box high = box;
    const auto axis = static_cast<std::size_t>(cut.axis);
    low[axis] = cut.length;
    high[axis] -= cut.length;
    return {low, high};
  }

 private:
  Projections p_;
  double most_work_;
  std::vector<bool> is_kept_;
  Exponents exponents_;
};

constexpr int most_bisected_ranks = 256;

// Follows the cuts of a search; whether it found a way.
class Builder {
 public:
  Builder(CutSearch<Space>& search, std::vector<EinsumBox>& boxes)
      : search_(search), boxes_(boxes) {}

  bool build(const std::vector<Range>& box, int ranks, std::size_t rank) {
    Box sides;
    for (const Range& r : box) sides.push_back(r.size());
    if (Space::is_whole(ranks, sides)) {
      boxes_[rank] = {true, box};  // the other ranks are idle
      return true;
    }
    const Cut cut = search_.best(ranks, sides, INFINITY).cut;
    if (cut.axis < 0) return false;
    const auto axis = static_cast<std::size_t>(cut.axis);
    std::vector<Range> low = box;
    std::vector<Range> high = box;
    low[axis].end = high[axis].begin = box[axis].begin + cut.length;
    return build(low, cut.first, rank) &&
           build(high, ranks - cut.first, rank + static_cast<std::size_t>(cut.first));
  }

 private:
  CutSearch<Space>& search_;
  std::vector<EinsumBox>& boxes_;
};

// A matrix multiplication's sides, where the summation is one: indices of A and C, of B and C, of A
// and B.
struct AsGemm {
  GemmShape shape;
  int m = -1, n = -1, k = -1;
};

std::optional<AsGemm> as_gemm(const EinsumShape& shape) {
  if (shape.tensors.size() != 3) return std::nullopt;
  AsGemm gemm;
  gemm.shape = {1, 1, 1};
  for (std::size_t t = 0; t < shape.indices.size(); ++t) {
    const int index = static_cast<int>(t);
    const bool a = shape.tensors[0].has(index);
    const bool b = shape.tensors[1].has(index);
    const bool c = shape.tensors[2].has(index);
    if (a + b + c != 2) return std::nullopt;
    int& role = !b ? gemm.m : !a ? gemm.n : gemm.k;
    if (role >= 0) return std::nullopt;
    role = index;
    (!b ? gemm.shape.m : !a ? gemm.shape.n : gemm.shape.k) = shape.indices[t].extent;
  }
  return gemm;
}

// choose_gemm's decomposition, where it is a bisection.
std::optional<EinsumDecomposition> gemm_bisection(const EinsumPlanRequest& request) {
  const auto gemm = as_gemm(request.shape);
  if (!gemm) return std::nullopt;
  const Decomposition chosen =
      choose_gemm({gemm->shape, request.ranks, {}, request.objective, request.machine});
  if (chosen.kind != Decomposition::Kind::bisection) return std::nullopt;
  EinsumDecomposition d;
  d.kind = EinsumDecomposition::Kind::bisection;
  for (const Cuboid& c : chosen.cuboids()) {
    EinsumBox box;
    box.works = !c.empty();
    box.ranges.resize(request.shape.indices.size());
    const auto put = [&box](int index, const Range& range) {
      if (index >= 0) box.ranges[static_cast<std::size_t>(index)] = range;
    };
    put(gemm->m, c.i);
    put(gemm->n, c.j);
    put(gemm->k, c.k);
    d.boxes.push_back(std::move(box));
  }
  return d;
}

}  // namespace

std::optional<EinsumDecomposition> searched_bisection(const EinsumShape& shape, int ranks,
                                                      double most_work, Measure measure,
                                                      const std::vector<std::size_t>& kept) {
  EinsumDecomposition d;
  d.kind = EinsumDecomposition::Kind::bisection;
  d.boxes.resize(static_cast<std::size_t>(ranks));
  CutSearch<Space> search({shape, ranks, most_work, kept}, measure);
  std::vector<Range> whole;
  for (const EinsumIndex& i : shape.indices) whole.push_back({0, i.extent});
  if (!Builder(search, d.boxes).build(whole, ranks, 0)) return std::nullopt;
  return d;
}

bool is_bisected(const EinsumShape& shape, int ranks, double most_work) {
  return ranks <= most_bisected_ranks && !as_gemm(shape) &&
         searched_bisection(shape, ranks, most_work, Measure::total).has_value();
}

std::vector<EinsumDecomposition> bisections(const EinsumPlanRequest& request, double most_work) {
  std::vector<EinsumDecomposition> result;
  if (request.ranks < 2 || !(request.shape.products() > 1)) return result;
  if (request.ranks <= most_bisected_ranks) {
    for (const auto measure : {Measure::largest, Measure::total}) {
      auto d = searched_bisection(request.shape, request.ranks, most_work, measure);
      if (d) result.push_back(*std::move(d));
    }
    for (auto& d : layered_bisections(request.shape, request.ranks, most_work))
      result.push_back(std::move(d));
  }
  auto gemm = gemm_bisection(request);
  if (gemm && gemm->busiest_products() <= most_work) result.push_back(*std::move(gemm));
  return result;
}

}  // namespace redblue::einsum
