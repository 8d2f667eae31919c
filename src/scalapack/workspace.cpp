#include "scalapack/workspace.hpp"

#include <cstdlib>
#include <memory>

namespace redblue::scalapack {

double least_work(double otherwise) {
  static const char* const text = std::getenv("REDBLUE_MIN_WORK");
  return text == nullptr ? otherwise : std::atof(text);
}

void* workspace_bytes(std::int64_t bytes) {
  static std::unique_ptr<std::complex<double>[]> memory;
  static std::int64_t held = 0;
  if (bytes > held) {
    memory.reset();
    held = 0;
    constexpr std::int64_t unit = sizeof(std::complex<double>);
    const std::int64_t units = (bytes + unit - 1) / unit;
    memory =
        std::make_unique_for_overwrite<std::complex<double>[]>(static_cast<std::size_t>(units));
    held = units * unit;
  }
  return memory.get();
}

}  // namespace redblue::scalapack
