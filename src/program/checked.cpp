// SPDX-License-Identifier: BSD-3-Clause
#include "program/checked.hpp"

#include <isl/cpp.h>

#include <cerrno>
#include <cstdlib>
#include <string>

#include "program/isl_text.hpp"
#include "redblue/error.hpp"

namespace redblue::program {

void beyond_64_bits() {
  throw Error("a subscript, loop bound or time at these sizes", "a number beyond 64 bits",
              "give smaller sizes");
}

std::int64_t to_64_bits(isl_val* value) {
  // isl's own conversion answers 0 for what does not fit.
  const std::string text = taken_text(isl_val_to_str(value));
  errno = 0;
  char* end = nullptr;
  const std::int64_t number = std::strtoll(text.c_str(), &end, 10);
  if (errno != 0 || *end != '\0') beyond_64_bits();
  return number;
}

std::optional<std::int64_t> whole_number(isl_val* value) {
  if (value == nullptr) return std::nullopt;
  const isl::val held = isl::manage(value);
  if (!held.is_int()) return std::nullopt;
  return to_64_bits(held.get());
}

}  // namespace redblue::program
