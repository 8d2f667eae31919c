// SPDX-License-Identifier: BSD-3-Clause
// From the text of a summation to the indices of its iteration space.
#include <algorithm>
#include <cctype>
#include <limits>
#include <set>

#include "redblue/einsum_model.hpp"
#include "redblue/error.hpp"

namespace redblue {

namespace {

constexpr std::size_t most_letters = 12;  // of a tensor
constexpr std::int64_t most_elements = 1'000'000'000'000'000'000;
constexpr double most_products = 1e30;

[[noreturn]] void refuse(const std::string& text, const std::string& found,
                         const std::string& remedy) {
  throw Error("einsum '" + text + "'", found, remedy);
}

// The operands' letters, then the result's.
std::vector<std::string> split(const std::string& text) {
  std::string bare;
  for (const char c : text) {
    if (c != ' ') bare += c;
  }
  const std::size_t arrow = bare.find("->");
  const std::string left = bare.substr(0, arrow);
  std::vector<std::string> tensors(1);
  for (const char c : left) {
    if (c == ',') {
      tensors.emplace_back();
    } else {
      tensors.back() += c;
    }
  }
  if (arrow != std::string::npos) {
    tensors.push_back(bare.substr(arrow + 2));
    return tensors;
  }
  std::map<char, int> times;
  for (const std::string& t : tensors) {
    for (const char c : t) ++times[c];
  }
  std::string result;
  for (const auto& [letter, count] : times) {
    if (count == 1) result += letter;
  }
  tensors.push_back(result);
  return tensors;
}

void check_letters(const std::string& text, const std::vector<std::string>& tensors) {
  const bool none =
      std::all_of(tensors.begin(), tensors.end(), [](const auto& t) { return t.empty(); });
  if (none) refuse(text, "no letters", "write it like \"ij,jk->ik\"");
  std::set<char> in_operands;
  for (std::size_t t = 0; t < tensors.size(); ++t) {
    const bool is_result = t + 1 == tensors.size();
    const std::string what = is_result ? "the result" : "operand " + std::to_string(t + 1);
    std::set<char> seen;
    for (const char c : tensors[t]) {
      if (std::isalpha(static_cast<unsigned char>(c)) == 0)
        refuse(text, "'" + std::string(1, c) + "' is no letter", "write it like \"ij,jk->ik\"");
      if (!seen.insert(c).second)
        refuse(text, what + " has the letter " + std::string(1, c) + " twice",
               is_result ? "name each letter of the result once"
                         : "pass its diagonal as a tensor of its own");
      if (is_result && !in_operands.contains(c))
        refuse(text, "the result has the letter " + std::string(1, c) + ", which no operand has",
               "use letters of the operands");
      if (!is_result) in_operands.insert(c);
    }
    if (tensors[t].size() > most_letters)
      refuse(text, what + " has " + std::to_string(tensors[t].size()) + " letters",
             "use at most " + std::to_string(most_letters));
  }
}

std::map<char, std::int64_t> extents(const std::string& text,
                                     const std::vector<std::string>& tensors,
                                     const std::map<std::string, std::int64_t>& sizes) {
  std::map<char, std::int64_t> result;
  std::string missing;
  for (const std::string& t : tensors) {
    for (const char c : t) {
      if (result.contains(c)) continue;
      const auto size = sizes.find("N" + std::string(1, c));
      result[c] = size == sizes.end() ? 0 : size->second;
      if (size == sizes.end()) missing += (missing.empty() ? "N" : ", N") + std::string(1, c);
    }
  }
  if (!missing.empty())
    refuse(text, "nothing is said of " + missing, "give every letter x an extent Nx");
  for (const auto& [name, size] : sizes) {
    if (name.size() != 2 || name[0] != 'N' || !result.contains(name[1]))
      refuse(text, name + " belongs to no letter", "give every letter x an extent Nx");
    if (size < 0) refuse(text, name + " is negative", "extents are 0 or more");
  }
  return result;
}

std::int64_t product(const std::string& text, const std::vector<std::int64_t>& factors) {
  std::int64_t all = 1;
  for (const std::int64_t f : factors) {
    if (f != 0 && all > most_elements / f)
      refuse(text, "a tensor has more than 10^18 elements", "use smaller extents");
    all *= f;
  }
  return all;
}

}  // namespace

bool EinsumTensor::has(int index) const {
  return std::binary_search(indices.begin(), indices.end(), index);
}

std::int64_t EinsumShape::elements(const EinsumTensor& tensor) const {
  std::int64_t all = 1;
  for (const std::int64_t e : tensor.extents) all *= e;
  return all;
}

double EinsumShape::products() const {
  double all = 1;
  for (const EinsumIndex& i : indices) all *= static_cast<double>(i.extent);
  return all;
}

EinsumShape einsum_shape(const std::string& text,
                         const std::map<std::string, std::int64_t>& sizes) {
  const std::vector<std::string> tensors = split(text);
  check_letters(text, tensors);
  const std::map<char, std::int64_t> extent = extents(text, tensors, sizes);
  EinsumShape shape;
  // letters in order of appearance, by the tensors they stand in; those of all tensors (batches)
  // last, so that the others follow one another in memory
  std::map<std::vector<bool>, std::size_t> index_of;
  std::set<char> done;
  std::string letters;
  std::string batches;
  for (const char c : tensors.front()) {
    const bool everywhere = std::all_of(tensors.begin(), tensors.end(), [c](const std::string& t) {
      return t.find(c) != std::string::npos;
    });
    if (everywhere) batches += c;
  }
  for (const std::string& t : tensors) {
    for (const char c : t) {
      if (batches.find(c) == std::string::npos) letters += c;
    }
  }
  for (const char c : letters + batches) {
    if (!done.insert(c).second || extent.at(c) == 1) continue;
    std::vector<bool> where;
    for (const std::string& t : tensors) where.push_back(t.find(c) != std::string::npos);
    const auto [at, is_new] = index_of.emplace(where, shape.indices.size());
    if (is_new) shape.indices.emplace_back();
    EinsumIndex& index = shape.indices[at->second];
    index.letters += c;
    index.extents.push_back(extent.at(c));
    index.extent = product(text, index.extents);
  }
  for (std::size_t t = 0; t < tensors.size(); ++t) {
    EinsumTensor tensor;
    tensor.letters = tensors[t];
    for (const char c : tensors[t]) tensor.extents.push_back(extent.at(c));
    product(text, tensor.extents);
    for (std::size_t i = 0; i < shape.indices.size(); ++i) {
      if (tensors[t].find(shape.indices[i].letters[0]) != std::string::npos)
        tensor.indices.push_back(static_cast<int>(i));
    }
    shape.text += (t == 0 ? "" : t + 1 == tensors.size() ? "->" : ",") + tensors[t];
    shape.tensors.push_back(std::move(tensor));
  }
  if (shape.products() > most_products)
    refuse(text, "more than 10^30 products", "use smaller extents");
  return shape;
}

std::int64_t element_offset(const EinsumShape& shape, const EinsumTensor& tensor,
                            std::size_t position, std::int64_t value) {
  const EinsumIndex& index = shape.indices[static_cast<std::size_t>(tensor.indices[position])];
  std::int64_t offset = 0;
  for (std::size_t l = index.letters.size(); l-- > 0;) {
    std::int64_t stride = 1;
    for (std::size_t m = tensor.letters.size(); tensor.letters[--m] != index.letters[l];)
      stride *= tensor.extents[m];
    offset += value % index.extents[l] * stride;
    value /= index.extents[l];
  }
  return offset;
}

}  // namespace redblue
