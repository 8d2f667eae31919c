#include "linalg/gemm_messages.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace redblue {

using comm::Message;
using comm::Segment;

namespace {

// (peer, round) -> where the words of their message lie.
using ByPeer = std::map<std::pair<int, std::int64_t>, Segments>;

// Ranks after `me` first, so that not all ranks turn to rank 0 at once.
int turn(int peer, Rank me, int ranks) {
  return (peer - me.value + ranks) % ranks;
}

// Messages ordered by whose turn it is.
std::vector<Message> messages(const ByPeer& by_peer, Operand operand, Rank me, int ranks) {
  std::vector<std::pair<int, std::int64_t>> order;
  for (const auto& [key, segments] : by_peer) order.push_back(key);
  std::sort(order.begin(), order.end(), [&](const auto& x, const auto& y) {
    return std::pair(x.second, turn(x.first, me, ranks)) <
           std::pair(y.second, turn(y.first, me, ranks));
  });
  std::vector<Message> result;
  for (const auto& key : order) {
    const int tag = static_cast<int>(4 * key.second) + static_cast<int>(operand);
    result.emplace_back(Rank{key.first}, tag, by_peer.at(key));
  }
  return result;
}

Input::Round input_round(const std::vector<LocalCell>& cells, Operand operand, const Panel& slab,
                         std::int64_t round, Rank me, int ranks) {
  Input::Round result;
  result.slab = slab;
  ByPeer by_peer;
  std::int64_t last_offset = -1;
  std::size_t count = 0;
  bool shared = false;
  for (const LocalCell& c : cells) {
    const Cell& cell = *c.cell;
    const Range& k = k_range(cell.block, operand);
    const Range& slab_k = k_range(slab.block, operand);
    if (k.begin < slab_k.begin || k.end > slab_k.end) continue;
    ++count;
    last_offset = c.offset;
    shared = shared || cell.needers.size() > 1;
    for (std::size_t t = 0; t < cell.needers.size(); ++t) {
      if (cell.share(t) == 0) continue;
      Segments& target = t == c.position ? result.own.to : by_peer[{cell.needers[t], round}];
      slab.append(target, cell.block, cell.begins[t], cell.begins[t + 1]);
    }
    comm::append(result.own.from, {c.offset, cell.share(c.position)});
  }
  if (count == 1 && !shared) result.in_place = last_offset;
  result.receives = messages(by_peer, operand, me, ranks);
  return result;
}

}  // namespace

void Panel::append(Segments& segments, const Block& part, std::int64_t begin,
                   std::int64_t end) const {
  const std::int64_t rows = part.rows.size();
  while (begin < end) {
    const std::int64_t in_column = begin % rows;
    const std::int64_t length = std::min(rows - in_column, end - begin);
    const std::int64_t row = part.rows.begin + in_column - block.rows.begin;
    const std::int64_t column = part.columns.begin + begin / rows - block.columns.begin;
    comm::append(segments, {column * block.rows.size() + row, length});
    begin += length;
  }
}

std::vector<LocalCell> local_cells(const std::vector<Cell>& cells, Rank me) {
  std::vector<LocalCell> result;
  std::int64_t offset = 0;
  for (const Cell& cell : cells) {
    const auto found = std::lower_bound(cell.needers.begin(), cell.needers.end(), me.value);
    if (found == cell.needers.end() || *found != me.value) continue;
    const auto position = static_cast<std::size_t>(found - cell.needers.begin());
    result.push_back({&cell, position, offset});
    offset += cell.share(position);
  }
  return result;
}

std::vector<OwnedPart> owned_parts(const std::vector<LocalCell>& cells) {
  std::vector<OwnedPart> parts;
  for (const LocalCell& c : cells) {
    if (c.cell->share(c.position) == 0) continue;
    parts.push_back({c.cell->block.rows, c.cell->block.columns, c.cell->begins[c.position],
                     c.cell->begins[c.position + 1], c.offset});
  }
  return parts;
}

Words total_share(const std::vector<LocalCell>& cells) {
  Words words;
  for (const LocalCell& c : cells) words += Words(c.cell->share(c.position));
  return words;
}

Input input_plan(const std::vector<LocalCell>& cells, Operand operand,
                 const std::vector<Cuboid>& cuboids, std::int64_t rounds, Rank me) {
  Input result;
  const int ranks = static_cast<int>(cuboids.size());
  const auto cuboid = [&cuboids](int rank) -> const Cuboid& {
    return cuboids[static_cast<std::size_t>(rank)];
  };
  ByPeer by_peer;
  for (const LocalCell& c : cells) {
    for (const int needer : c.cell->needers) {
      if (needer == me.value) continue;
      const std::int64_t round =
          round_index(cuboid(needer).k, k_range(c.cell->block, operand).begin, rounds);
      const std::int64_t share = c.cell->share(c.position);
      if (share > 0) comm::append(by_peer[{needer, round}], {c.offset, share});
    }
  }
  result.sends = messages(by_peer, operand, me, ranks);
  const Cuboid& mine = cuboid(me.value);
  std::int64_t largest = 0;
  for (std::int64_t r = 0; r < rounds; ++r) {
    Cuboid slice = mine;
    slice.k = round_of(mine.k, r, rounds);
    const Panel slab{footprint(slice, operand)};
    result.rounds.push_back(input_round(cells, operand, slab, r, me, ranks));
    if (result.rounds.back().in_place < 0) largest = std::max(largest, slab.block.size());
  }
  result.buffer.resize(static_cast<std::size_t>(largest));
  return result;
}

Output output_plan(const std::vector<LocalCell>& cells, const Cuboid& mine, Rank me, int ranks) {
  Output result;
  result.face.block = footprint(mine, Operand::c);
  ByPeer sends;
  ByPeer adds;
  bool shared = false;
  for (const LocalCell& c : cells) {
    const Cell& cell = *c.cell;
    shared = shared || cell.needers.size() > 1;
    for (std::size_t t = 0; t < cell.needers.size(); ++t) {
      if (t == c.position) continue;
      if (cell.share(t) > 0) {
        result.face.append(sends[{cell.needers[t], 0}], cell.block, cell.begins[t],
                           cell.begins[t + 1]);
      }
      const std::int64_t share = cell.share(c.position);
      if (share > 0) comm::append(adds[{cell.needers[t], 0}], {c.offset, share});
    }
    result.face.append(result.own.from, cell.block, cell.begins[c.position],
                       cell.begins[c.position + 1]);
    comm::append(result.own.to, {c.offset, cell.share(c.position)});
  }
  result.in_place = cells.size() <= 1 && !shared;
  if (result.in_place) return result;
  result.sends = messages(sends, Operand::c, me, ranks);
  ByPeer staged;
  for (const auto& [key, segments] : adds) {
    std::int64_t words = 0;
    for (const Segment& s : segments) words += s.length;
    staged[key] = {{0, words}};
    result.half = std::max(result.half, words);
  }
  for (Message& receive : messages(staged, Operand::c, me, ranks)) {
    const std::pair<int, std::int64_t> key = {receive.peer().value, 0};
    result.contributions.push_back({std::move(receive), staged.at(key), adds.at(key)});
  }
  const std::int64_t halves = std::min<std::int64_t>(2, static_cast<std::int64_t>(adds.size()));
  result.staging.resize(static_cast<std::size_t>(halves * result.half));
  result.buffer.resize(static_cast<std::size_t>(result.face.block.size()));
  return result;
}

}  // namespace redblue
