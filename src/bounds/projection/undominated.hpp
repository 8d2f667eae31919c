// SPDX-License-Identifier: BSD-3-Clause
// Of several images of one set, those that may have more points than the others.
#pragma once

#include <algorithm>
#include <vector>

namespace redblue::bounds {

// Leaves out images that never have more points than another one: whose `loops`, ascending, are
// among that one's. Of alike ones the first stays.
template <class Image>
std::vector<Image> undominated(const std::vector<Image>& images) {
  const auto covers = [](const Image& big, const Image& small) {
    return std::includes(big.loops.begin(), big.loops.end(), small.loops.begin(),
                         small.loops.end());
  };
  std::vector<Image> kept;
  for (const Image& image : images) {
    if (std::any_of(kept.begin(), kept.end(), [&](const Image& k) { return covers(k, image); }))
      continue;
    std::erase_if(kept, [&](const Image& k) { return covers(image, k); });
    kept.push_back(image);
  }
  return kept;
}

}  // namespace redblue::bounds
