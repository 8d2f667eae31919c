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

// Every tensor as every statement names it, the result last: letters that operands have come in the
// order in which these have them.
std::vector<EinsumTensor*> all_tensors(EinsumShape& shape) {
  std::vector<EinsumTensor*> all;
  for (EinsumTensor& t : shape.tensors) all.push_back(&t);
  all.pop_back();
  for (EinsumStatement& s : shape.statements) {
    for (EinsumTensor& t : s.tensors) all.push_back(&t);
  }
  all.push_back(&shape.tensors.back());
  return all;
}

// The letters of a tensor where it gets its name and where it is read under others, place by place.
struct Renaming {
  std::string from, to;
};

// The n-th of all inputs, then of the statements' results, under the letters where it gets its
// name.
const EinsumTensor& named(const EinsumShape& shape, std::size_t n) {
  return n < shape.operands() ? shape.tensors[n]
                              : shape.statements[n - shape.operands()].tensors.back();
}

std::vector<Renaming> renamings(const EinsumShape& shape) {
  std::vector<Renaming> result;
  for (const EinsumStatement& s : shape.statements) {
    for (std::size_t o = 0; o < s.operands.size(); ++o) {
      const EinsumTensor& tensor = named(shape, s.operands[o]);
      Renaming r;
      for (std::size_t l = 0; l < tensor.letters.size(); ++l) {
        if (tensor.extents[l] == 1) continue;
        r.from += tensor.letters[l];
        r.to += s.tensors[o].letters[l];
      }
      if (r.from != r.to) result.push_back(std::move(r));
    }
  }
  return result;
}

// Letters that are one index have the same number.
using Groups = std::map<char, std::size_t>;

// Numbers what differs in something.
template <class Key>
Groups numbered(const std::map<char, Key>& keys) {
  std::map<Key, std::size_t> numbers;
  Groups groups;
  for (const auto& [letter, key] : keys)
    groups[letter] = numbers.emplace(key, numbers.size()).first->second;
  return groups;
}

std::size_t count_of(const Groups& groups) {
  std::set<std::size_t> numbers;
  for (const auto& [letter, number] : groups) numbers.insert(number);
  return numbers.size();
}

// Parts groups until the letters in the places of a group's are a group, too, in every reading.
Groups alike_in_all_readings(Groups groups, const std::vector<Renaming>& all) {
  for (std::size_t before = 0; before != count_of(groups);) {
    before = count_of(groups);
    std::map<char, std::vector<std::size_t>> keys;
    for (const auto& [letter, number] : groups) {
      std::vector<std::size_t>& key = keys[letter];
      key.push_back(number);
      for (const Renaming& r : all) {
        const std::size_t from = r.from.find(letter);
        const std::size_t to = r.to.find(letter);
        const std::size_t none = groups.size();
        key.push_back(from == std::string::npos ? none : groups.at(r.to[from]));
        key.push_back(to == std::string::npos ? none : groups.at(r.from[to]));
      }
    }
    groups = numbered(keys);
  }
  return groups;
}

// The places of a group's letters, in the order in which they are an index's.
std::vector<std::size_t> places(const std::string& tensor, const Groups& groups, std::size_t group,
                                const std::string& order) {
  std::vector<std::size_t> result;
  for (const char c : order) {
    if (groups.at(c) == group && tensor.find(c) != std::string::npos)
      result.push_back(tensor.find(c));
  }
  return result;
}

// Letters that some reading has in another order, so that they cannot be one index.
std::string in_another_order(const Groups& groups, const std::vector<Renaming>& all,
                             const std::string& order) {
  std::string result;
  for (const Renaming& r : all) {
    for (std::size_t l = 0; l < r.from.size(); ++l) {
      const bool is_same = places(r.from, groups, groups.at(r.from[l]), order) ==
                           places(r.to, groups, groups.at(r.to[l]), order);
      if (!is_same) result += std::string{r.from[l], r.to[l]};
    }
  }
  return result;
}

// Letters of the same tensors are one index, `separate` ones are not; where a tensor is read under
// several letters, the same places of it are one in all readings. `order`: of all letters.
Groups groups_of(const std::vector<EinsumTensor*>& tensors, const std::vector<Renaming>& readings,
                 const std::string& order, std::string separate) {
  for (;;) {
    std::map<char, std::pair<char, std::vector<bool>>> keys;
    for (const char c : order) {
      const bool alone = separate.find(c) != std::string::npos;
      std::vector<bool> where;
      for (const EinsumTensor* t : tensors)
        where.push_back(t->letters.find(c) != std::string::npos);
      keys[c] = {alone ? c : ' ', std::move(where)};
    }
    Groups groups = alike_in_all_readings(numbered(keys), readings);
    const std::string more = in_another_order(groups, readings, order);
    if (more.empty()) return groups;
    separate += more;
  }
}

// In order of appearance; letters of all tensors (batches) last, so that the others follow one
// another in memory.
void make_indices(EinsumShape& shape, const std::string& separate) {
  const std::vector<EinsumTensor*> tensors = all_tensors(shape);
  std::map<char, std::int64_t> extent;
  std::string letters;
  std::string batches;
  for (const EinsumTensor* t : tensors) {
    for (std::size_t l = 0; l < t->letters.size(); ++l) {
      const char c = t->letters[l];
      if (!extent.emplace(c, t->extents[l]).second || t->extents[l] == 1) continue;
      const bool everywhere = std::all_of(
          tensors.begin(), tensors.end(),
          [c](const EinsumTensor* other) { return other->letters.find(c) != std::string::npos; });
      (everywhere ? batches : letters) += c;
    }
  }
  const std::string order = letters + batches;
  const Groups groups = groups_of(tensors, renamings(shape), order, separate);
  shape.indices.clear();
  std::map<std::size_t, std::size_t> index_of;
  for (const char c : order) {
    const std::size_t at = index_of.emplace(groups.at(c), shape.indices.size()).first->second;
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
      const EinsumTensor& tensor = named(shape, s.operands[o]);
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
  make_indices(shape, "");
  return shape;
}

EinsumShape with_separate_letters(EinsumShape shape, const std::string& letters) {
  make_indices(shape, letters);
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
