// SPDX-License-Identifier: BSD-3-Clause
#include "decomposition/einsum/chain/homes.hpp"

#include <algorithm>
#include <string>

#include "redblue/error.hpp"

namespace redblue::einsum {

Places places_of(const EinsumShape& step, const EinsumTensor& tensor) {
  // an index is where its first letter is
  std::vector<std::size_t> at;
  for (const int t : tensor.indices)
    at.push_back(tensor.letters.find(step.indices[static_cast<std::size_t>(t)].letters[0]));
  Places places;
  for (const std::size_t n : at) {
    places.push_back(static_cast<std::size_t>(
        std::count_if(at.begin(), at.end(), [n](std::size_t m) { return m < n; })));
  }
  return places;
}

std::vector<Piece> needed_pieces(const EinsumShape& step, const EinsumDecomposition& d,
                                 std::size_t operand, std::int64_t round) {
  const EinsumTensor& tensor = step.tensors[operand];
  const Places places = places_of(step, tensor);
  std::vector<Piece> result;
  const bool in_rounds = rounds_of(tensor, d) > 1;
  for (std::size_t r = 0; r < d.boxes.size(); ++r) {
    const EinsumBox box = in_rounds ? d.box(r, round) : d.boxes[r];
    std::vector<Range> ranges(tensor.indices.size());
    const bool comes = box.works && held_since(tensor, d, r, round) == round;
    if (comes) ranges = projection(tensor, box);
    result.push_back(dense_piece(ranges, places));
    result.back().needed = comes;
  }
  return result;
}

std::vector<std::vector<Piece>> cell_pieces(const EinsumShape& step, std::size_t tensor,
                                            const std::vector<TensorCell>& cells, int ranks) {
  return owned_pieces(cells, ranks, places_of(step, step.tensors[tensor]));
}

const EinsumLayout* layout_of(const Layouts& layouts, std::size_t tensor) {
  return tensor < layouts.size() && layouts[tensor] ? &*layouts[tensor] : nullptr;
}

std::optional<Home> home_of(const EinsumShape& whole, const std::vector<EinsumStep>& steps,
                            const Layouts& layouts, std::size_t step, std::size_t operand) {
  const std::size_t number = steps[step].operands[operand];
  if (number >= whole.operands()) {
    const std::size_t from = number - whole.operands();
    return Home{false, from, steps[from].operands.size()};
  }
  if (layout_of(layouts, number) != nullptr) return Home{true, 0, number};
  for (std::size_t s = 0; s <= step; ++s) {
    for (std::size_t o = 0; o < steps[s].operands.size(); ++o) {
      if (steps[s].operands[o] != number) continue;
      if (s == step && o == operand) return std::nullopt;
      return Home{false, s, o};
    }
  }
  return std::nullopt;
}

namespace {

// All pieces in one array, for every pair of them is compared.
class Flat {
 public:
  explicit Flat(const std::vector<std::vector<Piece>>& pieces) {
    for (std::size_t r = 0; r < pieces.size(); ++r) {
      for (const Piece& p : pieces[r]) {
        if (p.words() == 0) continue;
        sides_ = p.ranges.size();
        ranges_.insert(ranges_.end(), p.ranges.begin(), p.ranges.end());
        ranks_.push_back(r);
      }
    }
  }

  // Adds to `words` what each rank's pieces share with one that is needed.
  void add_shared(const Piece& needed, std::vector<std::int64_t>& words) const {
    const Range* own = ranges_.data();
    for (std::size_t k = 0; k < ranks_.size(); ++k, own += sides_) {
      std::int64_t all = 1;
      for (std::size_t t = 0; t < sides_ && all > 0; ++t) {
        const Range& n = needed.ranges[t];
        all *= std::max<std::int64_t>(
            0, std::min(own[t].end, n.end) - std::max(own[t].begin, n.begin));
      }
      words[ranks_[k]] += all;
    }
  }

 private:
  std::size_t sides_ = 0;
  std::vector<Range> ranges_;
  std::vector<std::size_t> ranks_;
};

}  // namespace

Fetched fetched(const std::vector<std::vector<Piece>>& owned,
                const std::vector<std::vector<Piece>>& needed) {
  const std::size_t ranks = owned.size();
  Fetched f{std::vector<std::int64_t>(ranks), std::vector<std::int64_t>(ranks),
            std::vector<std::int64_t>(ranks)};
  const Flat all(owned);
  std::vector<std::int64_t> words(ranks);
  for (std::size_t r = 0; r < ranks; ++r) {
    words.assign(ranks, 0);
    for (const Piece& n : needed[r]) {
      if (n.words() > 0) all.add_shared(n, words);
    }
    for (std::size_t s = 0; s < ranks; ++s) {
      if (s == r || words[s] == 0) continue;
      f.words[r] += words[s];
      ++f.messages[r];
      f.buffers[r] += words[s];
      f.buffers[s] += words[s];
    }
  }
  return f;
}

Fetched fetched(const std::vector<std::vector<Piece>>& owned, const EinsumShape& step,
                const EinsumDecomposition& d, std::size_t operand) {
  const std::size_t ranks = owned.size();
  Fetched all{std::vector<std::int64_t>(ranks), std::vector<std::int64_t>(ranks),
              std::vector<std::int64_t>(ranks)};
  const std::int64_t rounds = rounds_of(step.tensors[operand], d);
  std::vector<std::int64_t> held(ranks);
  for (std::int64_t round = 0; round < rounds; ++round) {
    std::vector<std::vector<Piece>> needed;
    for (const Piece& p : needed_pieces(step, d, operand, round)) needed.push_back({p});
    const Fetched f = fetched(owned, needed);
    for (std::size_t r = 0; r < ranks; ++r) {
      all.words[r] += f.words[r];
      all.messages[r] += f.messages[r];
      all.buffers[r] = std::max(all.buffers[r], f.buffers[r]);
      held[r] = std::max(held[r], needed[r][0].words());
    }
  }
  for (std::size_t r = 0; r < ranks; ++r) all.buffers[r] += held[r];
  return all;
}

namespace {

// The values of a letter that a place along a grid has, as ranges, one after another.
std::vector<Range> dealt(std::int64_t extent, int parts, std::int64_t block, int place) {
  const std::int64_t size = block > 0 ? block : std::max<std::int64_t>(1, ceil_div(extent, parts));
  std::vector<Range> ranges;
  for (std::int64_t b = size * place; b < extent; b += size * parts)
    ranges.push_back({b, std::min(extent, b + size)});
  return ranges;
}

std::string text_of(const EinsumLayout& layout) {
  std::string text;
  for (const int g : layout.grid) text += (text.empty() ? "" : "x") + std::to_string(g);
  return text;
}

}  // namespace

// Letters of a tensor in a layout are indices of their own; those of extent 1 are none.
std::vector<std::vector<Piece>> layout_pieces(const EinsumTensor& tensor,
                                              const EinsumLayout& layout, int ranks) {
  std::vector<std::vector<Piece>> result(static_cast<std::size_t>(ranks));
  const std::size_t letters = tensor.letters.size();
  std::vector<int> place(letters, 0);
  for (std::vector<Piece>& pieces : result) {
    std::vector<std::vector<Range>> ranges;
    std::vector<std::int64_t> strides(letters, 1);
    std::int64_t next = 1;
    bool has_some = true;
    for (std::size_t l = 0; l < letters; ++l) {
      const std::int64_t block = layout.block.empty() ? 0 : layout.block[l];
      ranges.push_back(dealt(tensor.extents[l], layout.grid[l], block, place[l]));
      has_some = has_some && !ranges.back().empty();
    }
    for (std::size_t l = letters; l-- > 0;) {
      strides[l] = next;
      std::int64_t mine = 0;
      for (const Range& r : ranges[l]) mine += r.size();
      next *= mine;
    }
    std::vector<std::size_t> at(letters, 0);  // block of every letter
    std::vector<std::int64_t> before(letters, 0);
    while (has_some) {
      Piece piece;
      for (std::size_t l = 0; l < letters; ++l) {
        piece.offset += before[l] * strides[l];
        if (tensor.extents[l] == 1) continue;
        piece.ranges.push_back(ranges[l][at[l]]);
        piece.strides.push_back(strides[l]);
      }
      pieces.push_back(std::move(piece));
      std::size_t l = letters;
      while (l-- > 0) {
        before[l] += ranges[l][at[l]].size();
        if (++at[l] < ranges[l].size()) break;
        at[l] = 0;
        before[l] = 0;
      }
      if (l == static_cast<std::size_t>(-1)) break;
    }
    std::size_t l = letters;
    while (l-- > 0) {
      if (++place[l] < layout.grid[l]) break;
      place[l] = 0;
    }
    if (l == static_cast<std::size_t>(-1)) break;  // the other ranks have nothing
  }
  return result;
}

void check_layouts(const EinsumShape& whole, const Layouts& layouts, int ranks) {
  if (layouts.size() > whole.tensors.size()) {
    throw Error("einsum '" + whole.text + "'",
                std::to_string(layouts.size()) + " layouts for " +
                    std::to_string(whole.tensors.size()) + " tensors",
                "give the operands' and the result's at most");
  }
  for (std::size_t t = 0; t < layouts.size(); ++t) {
    const EinsumLayout* layout = layout_of(layouts, t);
    if (layout == nullptr) continue;
    const std::string& letters = whole.tensors[t].letters;
    const std::string what = "layout " + text_of(*layout) + " of tensor " + letters;
    const bool fits = layout->grid.size() == letters.size() &&
                      (layout->block.empty() || layout->block.size() == letters.size());
    if (!fits)
      throw Error(what, "not as many numbers as letters",
                  "give one for each of " + std::to_string(letters.size()));
    double all = 1;
    bool positive = true;
    for (const int g : layout->grid) {
      all *= g;
      positive = positive && g > 0;
    }
    for (const std::int64_t b : layout->block) positive = positive && b >= 0;
    if (!positive) throw Error(what, "a number below 1", "grids and blocks are 1 or more");
    if (all > ranks)
      throw Error(what, "a grid of more than " + std::to_string(ranks) + " ranks",
                  "use a smaller grid or more ranks");
  }
}

}  // namespace redblue::einsum
