// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/search/tile_model.hpp"

#include <isl/aff.h>
#include <isl/map.h>
#include <isl/set.h>
#include <isl/val.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "program/checked.hpp"
#include "program/touched.hpp"
#include "schedule/order.hpp"
#include "schedule/search/tuning.hpp"

namespace redblue::schedule {

using program::Program;
using program::Sizes;
using program::Statement;

namespace {

using Rows = std::vector<std::vector<std::int64_t>>;

// By output, the factors of the inputs; nothing where the map is no one affine function.
std::optional<Rows> rows_of(const isl::map& map) {
  if (isl_map_is_single_valued(map.get()) != isl_bool_true) return std::nullopt;
  const isl::pw_multi_aff all = isl::manage(isl_pw_multi_aff_from_map(map.copy()));
  std::vector<isl::multi_aff> pieces;
  all.foreach_piece([&](const isl::set&, const isl::multi_aff& f) { pieces.push_back(f); });
  if (pieces.size() != 1) return std::nullopt;
  Rows result;
  for (int d = 0; d < static_cast<int>(isl_multi_aff_dim(pieces[0].get(), isl_dim_out)); ++d) {
    const isl::aff f = isl::manage(isl_multi_aff_get_aff(pieces[0].get(), d));
    if (isl_aff_dim(f.get(), isl_dim_div) > 0) return std::nullopt;
    std::vector<std::int64_t> row;
    for (int i = 0; i < static_cast<int>(isl_aff_dim(f.get(), isl_dim_in)); ++i) {
      const auto factor =
          program::whole_number(isl_aff_get_coefficient_val(f.get(), isl_dim_in, i));
      if (!factor) return std::nullopt;
      row.push_back(*factor);
    }
    result.push_back(row);
  }
  return result;
}

// The one iterator with a factor, which is 1 or -1; -1: none. Nothing where there are several.
std::optional<int> single(const std::vector<std::int64_t>& row) {
  int found = -1;
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (row[i] == 0) continue;
    if (found >= 0 || std::abs(row[i]) != 1) return std::nullopt;
    found = static_cast<int>(i);
  }
  return found;
}

std::vector<std::int64_t> extents_of(const Statement& s, const Sizes& sizes) {
  const isl::set domain = program::at_sizes(s.domain, sizes);
  std::vector<std::int64_t> result;
  for (int d = 0; d < static_cast<int>(s.iterators.size()); ++d) {
    const Range values = program::range(domain, d);
    result.push_back(domain.is_empty() ? 0 : values.end - values.begin);
  }
  return result;
}

}  // namespace

std::optional<TileModel::Loops> TileModel::loops_of(const Program& program, std::size_t statement,
                                                    const Nest& nest, const Band& band,
                                                    const Sizes& sizes) {
  const Statement& s = program.statements[statement];
  const std::optional<isl::map> steps = of_statement(*band.steps, s.name);
  if (!steps) return std::nullopt;
  const std::optional<Rows> own = rows_of(*steps);
  if (!own) return std::nullopt;
  Loops result{
      extents_of(s, sizes), {}, std::vector<bool>(s.iterators.size(), false), {}, s.iterators};
  for (const auto& row : *own) {
    const std::optional<int> iterator = single(row);
    if (!iterator) return std::nullopt;
    result.iterator.push_back(*iterator);
  }
  for (const auto& all : {nest.outer, *band.around}) {
    const std::optional<isl::map> outer = of_statement(all, s.name);
    const std::optional<Rows> around = outer ? rows_of(*outer) : std::nullopt;
    if (!around) return std::nullopt;
    for (const auto& row : *around) {
      const std::optional<int> iterator = single(row);
      if (!iterator) return std::nullopt;
      if (*iterator >= 0) result.around[static_cast<std::size_t>(*iterator)] = true;
    }
  }
  for (const auto* accesses : {&s.reads, &s.writes}) {
    for (const program::Access& access : *accesses) {
      const std::optional<Rows> rows = rows_of(access.elements);
      if (!rows) return std::nullopt;
      const auto known = std::find_if(
          result.touched.begin(), result.touched.end(),
          [&](const Touched& t) { return t.array == access.array && t.subscripts == *rows; });
      if (known == result.touched.end())
        result.touched.push_back({access.array, *rows, 1});
      else if (accesses == &s.writes)
        known->weight = 2;
    }
  }
  return result;
}

std::optional<TileModel> TileModel::of(const Program& program, const Nest& nest,
                                       const Sizes& sizes) {
  constexpr std::size_t most_loops = 8;
  if (!nest.inner || nest.points || nest.bands.empty()) return std::nullopt;
  const Program stored = privatised(program, nest.families);
  TileModel result;
  for (const Band& band : nest.bands) {
    if (!band.steps || band.loops.size() > most_loops) return std::nullopt;
    BandModel model{{}, static_cast<int>(band.loops.size()), band.in_order};
    for (std::size_t s = 0; s < stored.statements.size(); ++s) {
      const std::string& name = stored.statements[s].name;
      if (std::find(band.statements.begin(), band.statements.end(), name) == band.statements.end())
        continue;
      const std::optional<Loops> loops = loops_of(stored, s, nest, band, sizes);
      if (!loops) return std::nullopt;
      model.statements.push_back(*loops);
    }
    count_once(model);
    result.bands_.push_back(std::move(model));
  }
  return result;
}

bool TileModel::has_loops_inside() const {
  const auto inside = [](const Loops& s) {
    for (int i = 0; i < static_cast<int>(s.extents.size()); ++i) {
      const auto at = static_cast<std::size_t>(i);
      const bool stepped = std::find(s.iterator.begin(), s.iterator.end(), i) != s.iterator.end();
      if (!s.around[at] && !stepped && s.extents[at] > 1) return true;
    }
    return false;
  };
  return std::any_of(bands_.begin(), bands_.end(), [&](const BandModel& band) {
    return std::any_of(band.statements.begin(), band.statements.end(), inside);
  });
}

// The same of two statements where they touch the same elements in each step of the band's loops.
std::string TileModel::elements(const Loops& loops, const Touched& touched) {
  std::string result = touched.array;
  for (const auto& subscript : touched.subscripts) {
    result += "[";
    for (std::size_t i = 0; i < subscript.size(); ++i) {
      if (subscript[i] == 0) continue;
      const auto loop =
          std::find(loops.iterator.begin(), loops.iterator.end(), static_cast<int>(i));
      result += "+" + std::to_string(subscript[i]) + "*";
      if (loop != loops.iterator.end())
        result += std::to_string(loop - loops.iterator.begin());
      else
        result += loops.names[i] + "<" + std::to_string(loops.extents[i]);
    }
    result += "]";
  }
  return result;
}

// What several statements touch is the one's with most loops.
void TileModel::count_once(BandModel& band) {
  std::stable_sort(
      band.statements.begin(), band.statements.end(),
      [](const Loops& a, const Loops& b) { return a.extents.size() > b.extents.size(); });
  std::map<std::string, std::pair<std::size_t, std::size_t>> known;  // statement, place in it
  for (std::size_t s = 0; s < band.statements.size(); ++s) {
    Loops& loops = band.statements[s];
    std::vector<Touched> kept;
    for (Touched& t : loops.touched) {
      const auto [at, fresh] = known.try_emplace(elements(loops, t), s, kept.size());
      if (fresh) {
        kept.push_back(std::move(t));
        continue;
      }
      double& weight = band.statements[at->second.first].touched[at->second.second].weight;
      weight = std::max(weight, t.weight);
    }
    loops.touched = std::move(kept);
  }
}

double TileModel::extent(const BandModel& band, int loop) {
  std::int64_t most = 1;
  for (const Loops& s : band.statements) {
    const int iterator = s.iterator[static_cast<std::size_t>(loop)];
    if (iterator >= 0) most = std::max(most, s.extents[static_cast<std::size_t>(iterator)]);
  }
  return static_cast<double>(most);
}

// `ranges`: by loop of the band, how many of its steps.
double TileModel::words(const Loops& loops, const Touched& touched,
                        const std::vector<double>& ranges) {
  std::vector<double> range(loops.extents.size());
  for (std::size_t i = 0; i < range.size(); ++i)
    range[i] = loops.around[i] ? 1 : static_cast<double>(loops.extents[i]);
  for (std::size_t l = 0; l < ranges.size(); ++l) {
    if (loops.iterator[l] < 0) continue;
    double& here = range[static_cast<std::size_t>(loops.iterator[l])];
    here = std::min(here, ranges[l]);
  }
  double result = 1;
  for (const auto& subscript : touched.subscripts) {
    double length = 1;
    for (std::size_t i = 0; i < subscript.size(); ++i)
      length += std::fabs(static_cast<double>(subscript[i])) * std::max(0.0, range[i] - 1);
    result *= length;
  }
  return result;
}

double TileModel::words(const BandModel& band, const std::vector<double>& ranges) {
  double result = 0;
  for (const Loops& s : band.statements) {
    for (const Touched& t : s.touched) result += words(s, t, ranges);
  }
  return result;
}

double TileModel::moved(const BandModel& band, const Tiles& tiles, std::int64_t s) {
  // From the outside in: over tiles, then inside of one.
  std::vector<LoopSteps> loops;
  std::vector<double> ranges(static_cast<std::size_t>(band.loops));
  for (int m = 0; m < band.loops; ++m) ranges[static_cast<std::size_t>(m)] = extent(band, m);
  for (const bool inside : {false, true}) {
    for (int at = 0; at < band.loops; ++at) {
      const auto place = static_cast<std::size_t>(at);
      const auto m = tiles.sizes.empty() ? place : static_cast<std::size_t>(tiles.order[place]);
      const double side =
          tiles.sizes.empty() ? 1 : std::min(ranges[m], static_cast<double>(tiles.sizes[place]));
      loops.push_back(inside ? LoopSteps{m, side, 1}
                             : LoopSteps{m, std::ceil(ranges[m] / side), side});
    }
  }
  std::size_t fixed = 0;  // loops outside of what fits
  constexpr double most = 0.9;
  const double room = most * static_cast<double>(s);
  while (fixed < loops.size() && words(band, ranges) > room) {
    const LoopSteps& loop = loops[fixed++];
    ranges[loop.member] = std::min(ranges[loop.member], loop.span);
  }
  loops.resize(fixed);
  double result = 0;
  for (const Loops& statement : band.statements) {
    for (const Touched& t : statement.touched)
      result += t.weight * loaded(statement, t, loops, ranges);
  }
  return result;
}

// Words of it that a walk through `loops` loads, where what is inside of them fits: it stays while
// the innermost of them touch no more of it.
double TileModel::loaded(const Loops& statement, const Touched& touched,
                         const std::vector<LoopSteps>& loops, const std::vector<double>& ranges) {
  const double inside = words(statement, touched, ranges);
  std::size_t anew = loops.size();
  double here = inside;
  for (; anew > 0 && here == inside; --anew) {
    std::vector<double> wider = ranges;
    wider[loops[anew - 1].member] *= loops[anew - 1].steps;
    here = words(statement, touched, wider);
  }
  double times = 1;
  for (std::size_t i = 0; i < statement.extents.size(); ++i)
    times *= statement.around[i] ? static_cast<double>(statement.extents[i]) : 1;
  for (std::size_t l = 0; l < anew; ++l)
    times *= statement.iterator[loops[l].member] >= 0 ? loops[l].steps : 1;
  return times * here;
}

Tiles TileModel::filling(const BandModel& band, LoopSet stream, LoopSet tiled, double most) {
  std::vector<double> ranges(static_cast<std::size_t>(band.loops), 1);
  const auto with = [&](double side) {
    for (int l = 0; l < band.loops; ++l) {
      if (contains(tiled, l)) ranges[static_cast<std::size_t>(l)] = std::min(side, extent(band, l));
    }
    return words(band, ranges);
  };
  double low = 1, high = std::floor(most) + 1;
  while (high - low > 1) {
    const double middle = std::floor((low + high) / 2);
    (with(middle) > most ? high : low) = middle;
  }
  with(low);
  std::vector<std::int64_t> sizes;
  for (const double range : ranges) sizes.push_back(std::max<std::int64_t>(1, std::llround(range)));
  return passed_by(sizes, tiled, stream);
}

Tiles TileModel::best(const BandModel& band, std::int64_t s, double share) {
  Tiles result;
  double least = 0;
  for (const LoopSet stream : streams(band.loops, band.in_order)) {
    for (LoopSet tiled = 1; tiled < (1U << static_cast<unsigned>(band.loops)); ++tiled) {
      if ((tiled & stream) != 0) continue;
      const Tiles next = filling(band, stream, tiled, share * static_cast<double>(s));
      const double here = moved(band, next, s);
      if (!result.sizes.empty() && here >= 0.999 * least) continue;
      least = here;
      result = next;
    }
  }
  return with_other_sides(band, s, share, result);
}

// Sides that move less: one loop's times 2 or 4, those of another that much less.
Tiles TileModel::with_other_sides(const BandModel& band, std::int64_t s, double share,
                                  Tiles tiles) {
  const auto kept = static_cast<std::size_t>(std::max(band.in_order, 1));
  const std::size_t free = tiles.sizes.size() - std::min(kept, tiles.sizes.size());
  const double room = share * static_cast<double>(s);
  double least = moved(band, tiles, s);
  const auto improves = [&](std::size_t grown, std::size_t other, std::int64_t factor) {
    Tiles next = tiles;
    next.sizes[grown] *= factor;
    if (other != grown) next.sizes[other] = std::max<std::int64_t>(1, next.sizes[other] / factor);
    if (!fits(band, next, room)) return false;
    const double here = moved(band, next, s);
    if (here >= 0.999 * least) return false;
    least = here;
    tiles = std::move(next);
    return true;
  };
  for (bool better = true; better;) {
    better = false;
    for (std::size_t grown = 0; grown < free; ++grown) {
      for (std::size_t other = 0; other < free; ++other) {
        for (const std::int64_t factor : {2, 4}) better = improves(grown, other, factor) || better;
      }
    }
  }
  return tiles;
}

// Whether a tile touches at most so many words in a step of what passes by.
bool TileModel::fits(const BandModel& band, const Tiles& tiles, double most) {
  std::vector<double> ranges(static_cast<std::size_t>(band.loops), 1);
  for (std::size_t t = 0; t < tiles.sizes.size(); ++t) {
    const int loop = tiles.order[t];
    const double extent = TileModel::extent(band, loop);
    if (static_cast<double>(tiles.sizes[t]) > extent) return false;
    ranges[static_cast<std::size_t>(loop)] = static_cast<double>(tiles.sizes[t]);
  }
  return words(band, ranges) <= most;
}

std::vector<Tiles> TileModel::best(std::int64_t s, double share) const {
  std::vector<Tiles> result;
  for (const BandModel& band : bands_) result.push_back(best(band, s, share));
  return result;
}

double TileModel::moved(const std::vector<Tiles>& tiles, std::int64_t s) const {
  double result = 0;
  for (std::size_t b = 0; b < bands_.size(); ++b) result += moved(bands_[b], tiles[b], s);
  return result;
}

}  // namespace redblue::schedule
