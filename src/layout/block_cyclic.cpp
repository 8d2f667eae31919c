#include "layout/block_cyclic.hpp"

namespace redblue::layout {

std::int64_t Cyclic::count(std::int64_t extent, int process) const {
  if (extent <= first) return process == source ? extent : 0;
  const std::int64_t rest = extent - first;
  // the blocks after the first go to source + 1, source + 2, ...
  const std::int64_t place = (process - source - 1 + 2 * processes) % processes;
  const std::int64_t blocks = rest / block;
  const std::int64_t extra = blocks % processes;
  std::int64_t total = blocks / processes * block + (process == source ? first : 0);
  if (place < extra) total += block;
  if (place == extra) total += rest % block;
  return total;
}

}  // namespace redblue::layout
