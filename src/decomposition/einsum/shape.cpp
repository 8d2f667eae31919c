// SPDX-License-Identifier: BSD-3-Clause
// From the text of a summation to the indices of its iteration space.
#include <algorithm>
#include <limits>
#include <set>

#include "decomposition/einsum/text.hpp"
#include "redblue/einsum_model.hpp"
#include "redblue/error.hpp"

namespace redblue {

namespace {

using einsum::refuse;
using einsum::WrittenProgram;
using einsum::WrittenStatement;

constexpr std::int64_t most_elements = 1'000'000'000'000'000'000;
constexpr double most_products = 1e30;

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

namespace {

// Every tensor as every statement names it.
std::vector<EinsumTensor*> all_tensors(EinsumShape& shape) {
  std::vector<EinsumTensor*> all;
  for (EinsumTensor& t : shape.tensors) all.push_back(&t);
  for (EinsumStatement& s : shape.statements) {
    for (EinsumTensor& t : s.tensors) all.push_back(&t);
  }
  return all;
}

// Letters of the same tensors become one index, `separate` ones do not. In order of appearance;
// those of all tensors (batches) last, so that the others follow one another in memory.
void make_indices(EinsumShape& shape, const std::string& separate) {
  const std::vector<EinsumTensor*> tensors = all_tensors(shape);
  std::map<char, std::int64_t> extent;
  std::string letters;
  std::string batches;
  for (const EinsumTensor* t : tensors) {
    for (std::size_t l = 0; l < t->letters.size(); ++l) {
      const char c = t->letters[l];
      if (!extent.emplace(c, t->extents[l]).second) continue;
      const bool everywhere = std::all_of(
          tensors.begin(), tensors.end(),
          [c](const EinsumTensor* other) { return other->letters.find(c) != std::string::npos; });
      (everywhere ? batches : letters) += c;
    }
  }
  shape.indices.clear();
  std::map<std::vector<bool>, std::size_t> index_of;
  for (const char c : letters + batches) {
    if (extent.at(c) == 1) continue;
    const bool alone = separate.find(c) != std::string::npos;
    std::vector<bool> where;
    for (const EinsumTensor* t : tensors) where.push_back(t->letters.find(c) != std::string::npos);
    std::size_t at = shape.indices.size();
    if (!alone) at = index_of.emplace(where, at).first->second;
    if (at == shape.indices.size()) shape.indices.emplace_back();
    EinsumIndex& index = shape.indices[at];
    index.letters += c;
    index.extents.push_back(extent.at(c));
    index.extent = product(shape.text, index.extents);
  }
  for (EinsumTensor* t : tensors) {
    t->indices.clear();
    for (std::size_t i = 0; i < shape.indices.size(); ++i) {
      if (t->letters.find(shape.indices[i].letters[0]) != std::string::npos)
        t->indices.push_back(static_cast<int>(i));
    }
  }
}

// Tensors that are read under several letters have the same extents under all of them.
void check_extents(const std::string& text, const EinsumShape& shape) {
  for (const EinsumStatement& s : shape.statements) {
    for (std::size_t o = 0; o < s.operands.size(); ++o) {
      const std::size_t n = s.operands[o];
      const EinsumTensor& tensor = n < shape.operands()
                                       ? shape.tensors[n]
                                       : shape.statements[n - shape.operands()].tensors.back();
      if (tensor.extents != s.tensors[o].extents)
        refuse(text,
               "a tensor is read as " + tensor.letters + " and as " + s.tensors[o].letters +
                   ", which have different extents",
               "give letters in the same place one extent");
    }
  }
}

}  // namespace

EinsumShape einsum_shape(const std::string& text,
                         const std::map<std::string, std::int64_t>& sizes) {
  const WrittenProgram written = einsum::read_program(text);
  std::vector<std::string> letters;
  for (const WrittenStatement& s : written.statements) {
    letters.insert(letters.end(), s.operands.begin(), s.operands.end());
    letters.push_back(s.result);
  }
  const std::map<char, std::int64_t> extent = extents(text, letters, sizes);
  const auto tensor_of = [&](const std::string& of) {
    EinsumTensor tensor;
    tensor.letters = of;
    for (const char c : of) tensor.extents.push_back(extent.at(c));
    product(text, tensor.extents);
    return tensor;
  };
  EinsumShape shape;
  shape.text = written.text;
  for (const std::string& input : written.inputs) shape.tensors.push_back(tensor_of(input));
  shape.tensors.push_back(tensor_of(written.statements.back().result));
  const bool is_plain = written.statements.size() == 1 &&
                        written.statements[0].operands.size() == written.inputs.size();
  for (const WrittenStatement& s : written.statements) {
    double products = 1;
    std::set<char> seen;
    for (const std::string& o : s.operands) {
      for (const char c : o) products *= seen.insert(c).second ? double(extent.at(c)) : 1;
    }
    if (products > most_products) refuse(text, "more than 10^30 products", "use smaller extents");
    if (is_plain) continue;
    EinsumStatement statement;
    for (const std::string& o : s.operands) statement.tensors.push_back(tensor_of(o));
    statement.tensors.push_back(tensor_of(s.result));
    statement.operands = s.numbers;
    shape.statements.push_back(std::move(statement));
  }
  check_extents(text, shape);
  make_indices(shape, written.renamed);
  return shape;
}

EinsumShape with_separate_letters(EinsumShape shape, const std::string& letters) {
  std::string separate = letters;
  for (const EinsumStatement& s : shape.statements) {  // renamed ones stay
    for (std::size_t o = 0; o < s.operands.size(); ++o) {
      const std::size_t n = s.operands[o];
      const EinsumTensor& tensor = n < shape.operands()
                                       ? shape.tensors[n]
                                       : shape.statements[n - shape.operands()].tensors.back();
      if (tensor.letters != s.tensors[o].letters) separate += tensor.letters + s.tensors[o].letters;
    }
  }
  make_indices(shape, separate);
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
