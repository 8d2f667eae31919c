// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/bands/footprints.hpp"

#include <isl/set.h>

#include <algorithm>
#include <functional>
#include <map>

#include "program/touched.hpp"
#include "schedule/order.hpp"
#include "schedule/time_maps.hpp"

namespace redblue::schedule::codegen {

using program::Access;
using program::Program;
using program::Sizes;
using program::Statement;

namespace {

// A band at given sizes, with the loops around it as its first members: what does not depend on
// tiles, once.
class SizedBand {
 public:
  SizedBand(const Program& program, const LeafBand& band, const Sizes& sizes)
      : around_(longest(band.prefix)), members_(around_ + band.members) {
    const isl::union_map all = product(band.prefix, band.loops);
    const isl::union_map here = all.intersect_params(program::at_sizes(sizes));
    here.range().foreach_set([&](const isl::set& s) { points_ = s; });
    if (empty()) return;
    for (const std::size_t index : band.statements) {
      const Statement& s = program.statements[index];
      for (const auto* accesses : {&s.reads, &s.writes}) {
        for (const Access& access : *accesses)
          touched_[access.array].push_back(
              here.reverse().apply_range(isl::union_map(access.elements)));
      }
    }
    find_ranges();
  }

  bool empty() const { return points_.is_null() || points_.is_empty(); }
  int around() const { return around_; }
  int members() const { return members_; }

  // How many values a member has, where the loops around the band are in the middle of theirs (a
  // member may repeat one of them: it has one value then).
  double extent(int member) const { return extents_[at(member)]; }
  // The span of its values over all.
  std::int64_t span(int member) const { return ranges_[at(member)].size() - 1; }

  // Elements touched by one tile in the middle of the band, an upper estimate (boxes); sizes by
  // member; 0: the whole loop.
  double footprint(const std::vector<std::int64_t>& tiles) const {
    const isl::union_set tile(middle_tile(tiles));
    double words = 0;
    for (const auto& [array, maps] : touched_) {
      std::vector<Range> box;
      for (const isl::union_map& touched : maps)
        touched.intersect_domain(tile).range().foreach_set(
            [&box](const isl::set& elements) { widen(box, elements); });
      double volume = box.empty() && !is_scalar(maps) ? 0 : 1;
      for (const Range& values : box) volume *= static_cast<double>(values.size());
      words += volume;
    }
    return words;
  }

 private:
  static std::size_t at(int member) { return static_cast<std::size_t>(member); }

  static bool is_scalar(const std::vector<isl::union_map>& maps) {
    return longest(maps.front()) == 0;
  }

  static void widen(std::vector<Range>& box, const isl::set& elements) {
    const int dimensions = static_cast<int>(isl_set_dim(elements.get(), isl_dim_set));
    for (int d = 0; d < dimensions; ++d) {
      const Range here = program::range(elements, d);
      if (box.size() <= at(d)) box.push_back(here);
      Range& known = box[at(d)];
      known = {std::min(known.begin, here.begin), std::max(known.end, here.end)};
    }
  }

  void find_ranges() {
    isl::set inside = points_;
    for (int m = 0; m < members_; ++m) {
      ranges_.push_back(program::range(points_, m));
      const Range here = m < around_ ? ranges_.back() : program::range(inside, m);
      extents_.push_back(static_cast<double>(std::max<std::int64_t>(here.size(), 1)));
      if (m >= around_) continue;
      const isl::set middle =
          isl::manage(isl_set_fix_si(inside.copy(), isl_dim_set, static_cast<unsigned>(m),
                                     static_cast<int>(here.begin + (here.size() - 1) / 2)));
      if (!middle.is_empty()) inside = middle;
    }
  }

  isl::set middle_tile(const std::vector<std::int64_t>& tiles) const {
    isl::set tile = isl::manage(isl_set_universe(isl_set_get_space(points_.get())));
    for (int m = 0; m < members_; ++m) {
      if (tiles[at(m)] == 0) continue;
      const std::int64_t begin =
          ranges_[at(m)].begin + std::max<std::int64_t>(0, (span(m) - tiles[at(m)]) / 2);
      isl_set* cut = isl_set_lower_bound_si(tile.copy(), isl_dim_set, static_cast<unsigned>(m),
                                            static_cast<int>(begin));
      tile = isl::manage(isl_set_upper_bound_si(cut, isl_dim_set, static_cast<unsigned>(m),
                                                static_cast<int>(begin + tiles[at(m)] - 1)));
    }
    return tile;
  }

  int around_ = 0, members_ = 0;
  isl::set points_;
  std::map<std::string, std::vector<isl::union_map>> touched_;  // members -> elements, by array
  std::vector<Range> ranges_;
  std::vector<double> extents_;
};

}  // namespace

std::vector<std::int64_t> tiles_for(const Program& program, const LeafBand& inner_band,
                                    const InnerLoop& inner, const Sizes& sizes,
                                    std::int64_t cache_words) {
  if (inner_band.members < 2) return {};
  const SizedBand band(program, inner_band, sizes);
  if (band.empty()) return {};
  const int around = band.around(), innermost = around + inner.member;
  std::vector<std::int64_t> whole(static_cast<std::size_t>(band.members()), 0);
  std::fill_n(whole.begin(), around, 1);
  const auto room = 0.6 * static_cast<double>(cache_words);
  if (band.footprint(whole) <= room) return {};
  std::vector<std::vector<std::int64_t>> choices;
  for (int m = 0; m < band.members(); ++m) {
    if (m < around) {
      choices.push_back({1});
      continue;
    }
    std::vector<std::int64_t> sizes_of = {0};
    for (const std::int64_t size : {8, 16, 32, 64, 128, 512, 2048}) {
      if (size > band.span(m) || (m == innermost) != (size > 128)) continue;
      sizes_of.push_back(size);
    }
    choices.push_back(sizes_of);
  }
  // What must move per instance: a tile's footprint over its instances.
  std::vector<std::int64_t> best, tiles(whole.size(), 0);
  double least = 0;
  const std::function<void(int)> choose = [&](int m) {
    if (m < band.members()) {
      for (const std::int64_t size : choices[static_cast<std::size_t>(m)]) {
        tiles[static_cast<std::size_t>(m)] = size;
        choose(m + 1);
      }
      return;
    }
    const double words = band.footprint(tiles);
    if (words > room) return;
    double instances = 1;
    for (int d = 0; d < band.members(); ++d) {
      const std::int64_t size = tiles[static_cast<std::size_t>(d)];
      instances *= size == 0 ? band.extent(d) : static_cast<double>(size);
    }
    const double moved = words / instances;
    if (best.empty() || moved < 0.999 * least) {
      best = tiles;
      least = moved;
    }
  };
  choose(0);
  if (!best.empty()) best.erase(best.begin(), best.begin() + around);
  return best;
}

double moved_per_instance(const Program& program, const LeafBand& inner_band,
                          const std::vector<int>& in_order, const std::vector<std::int64_t>& tiles,
                          const Sizes& sizes, std::int64_t cache_words) {
  const SizedBand band(program, inner_band, sizes);
  if (band.empty() || band.members() == 0) return 0;
  const int around = band.around();
  const auto points = [&](const std::vector<std::int64_t>& cut) {
    double product = 1;
    for (int m = 0; m < band.members(); ++m) {
      const std::int64_t size = cut[static_cast<std::size_t>(m)];
      product *= size == 0 ? band.extent(m) : std::min(band.extent(m), static_cast<double>(size));
    }
    return product;
  };
  std::vector<std::int64_t> cut(static_cast<std::size_t>(band.members()), 0);
  if (!tiles.empty()) {
    std::fill_n(cut.begin(), around, 1);
    std::copy(tiles.begin(), tiles.end(), cut.begin() + around);
  }
  std::vector<int> all;
  for (int m = 0; m < around; ++m) all.push_back(m);
  for (const int m : in_order) all.push_back(around + m);
  double words = band.footprint(cut);
  const double room = 0.8 * static_cast<double>(cache_words);
  for (const int m : all) {
    if (words <= room) return words / points(cut);
    if (band.span(m) == 0) continue;  // a place in a sequence
    // A step of this loop alone; what two steps touch and one does not is new in the second.
    cut[static_cast<std::size_t>(m)] = 2;
    const double two_steps = band.footprint(cut);
    cut[static_cast<std::size_t>(m)] = 1;
    words = band.footprint(cut);
    if (two_steps <= room) return (two_steps - words) / points(cut);
  }
  return words;
}

}  // namespace redblue::schedule::codegen
