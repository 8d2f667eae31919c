// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/choice/choice_text.hpp"

#include <sstream>

namespace redblue::schedule::codegen {

namespace {

constexpr const char* source_text = "source";

std::string numbers(const std::vector<std::int64_t>& all) {
  std::string result;
  for (const std::int64_t n : all) result += " " + std::to_string(n);
  return result;
}

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> result;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, at);) result.push_back(part);
  return result;
}

// "tiles 0 32": the numbers behind the word.
std::vector<std::int64_t> numbers_of(const std::string& part, const std::string& word) {
  std::istringstream in(part);
  std::string first;
  std::vector<std::int64_t> result;
  if (!(in >> first) || first != word) return result;
  for (std::int64_t n = 0; in >> n;) result.push_back(n);
  return result;
}

BandChoice band_from(const std::string& text) {
  BandChoice result;
  for (const std::string& part : split(text, ',')) {
    const auto inner = numbers_of(part, "inner"), block = numbers_of(part, "block"),
               tiles = numbers_of(part, "tiles"), other = numbers_of(part, "diagonal");
    if (other.size() == 1) result.other = static_cast<int>(other[0]);
    if (inner.size() == 1) result.inner = static_cast<int>(inner[0]);
    if (block.size() == 2) result.block = BlockSizes{block[0], block[1]};
    if (!result.block) {
      if (!tiles.empty()) result.tiles = tiles;
    } else if (tiles.size() == 3) {
      result.block->row_tile = tiles[0];
      result.block->column_tile = tiles[1];
      result.block->sum_tile = tiles[2];
    }
  }
  return result;
}

}  // namespace

std::string text(const Choice& choice) {
  if (choice.nest == own_order) return source_text;
  if (choice.nest == late_order)
    return "late" + numbers({choice.side}) + ", vectors" + numbers({choice.vector_bytes});
  std::string result =
      "loops" + numbers({choice.nest}) + ", vectors" + numbers({choice.vector_bytes});
  for (const BandChoice& band : choice.bands) {
    result += "; inner" + numbers({band.inner});
    if (band.other != BandChoice::none) result += ", diagonal" + numbers({band.other});
    if (band.block) {
      const BlockSizes& b = *band.block;
      result += ", block" + numbers({b.rows, b.columns}) + ", tiles" +
                numbers({b.row_tile, b.column_tile, b.sum_tile});
    } else if (!band.tiles.empty()) {
      result += ", tiles" + numbers(band.tiles);
    }
  }
  return result;
}

std::optional<Choice> choice_from(const std::string& written) {
  if (written == source_text) return Choice{};
  const std::vector<std::string> parts = split(written, ';');
  if (parts.empty()) return std::nullopt;
  Choice result;
  for (const std::string& part : split(parts.front(), ',')) {
    const auto loops = numbers_of(part, "loops"), late = numbers_of(part, "late"),
               vectors = numbers_of(part, "vectors");
    if (late.size() == 1) result.nest = late_order;
    if (late.size() == 1) result.side = late[0];
    if (loops.size() == 1) result.nest = static_cast<int>(loops[0]);
    if (vectors.size() == 1) result.vector_bytes = static_cast<int>(vectors[0]);
  }
  for (std::size_t b = 1; b < parts.size(); ++b) result.bands.push_back(band_from(parts[b]));
  // What does not come back as it was is not of this program's making.
  if (text(result) != written) return std::nullopt;
  return result;
}

}  // namespace redblue::schedule::codegen
