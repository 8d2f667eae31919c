// SPDX-License-Identifier: BSD-3-Clause
#include "program/repeated_reads.hpp"

#include <algorithm>

namespace redblue::program {

std::vector<Access> without_repeats(const std::vector<Access>& reads) {
  std::vector<Access> result;
  for (const Access& read : reads) {
    const auto kept = std::find_if(result.begin(), result.end(), [&read](const Access& other) {
      return other.array == read.array && other.elements.is_equal(read.elements);
    });
    if (kept == result.end()) {
      result.push_back(read);
    } else {
      kept->conditional = kept->conditional && read.conditional;
      kept->where.insert(kept->where.end(), read.where.begin(), read.where.end());
    }
  }
  return result;
}

}  // namespace redblue::program
