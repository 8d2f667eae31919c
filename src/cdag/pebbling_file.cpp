// SPDX-License-Identifier: BSD-3-Clause
// Pebblings as text:
//   graph matmul:2,2,2
//   game red-blue-white
//   level 6 words 1 units
//   load A(0,0)
//   ...
#include <charconv>
#include <fstream>
#include <ostream>
#include <sstream>
#include <unordered_map>

#include "cdag/rules.hpp"
#include "redblue/error.hpp"
#include "redblue/pebble.hpp"

namespace redblue::cdag {

namespace {

const std::map<std::string, Game::Kind>& game_names() {
  static const std::map<std::string, Game::Kind> names{
      {"red-blue", Game::Kind::red_blue},
      {"red-blue-white", Game::Kind::red_blue_white},
      {"parallel", Game::Kind::parallel},
      {"hierarchical", Game::Kind::hierarchical},
      {"partial", Game::Kind::partial}};
  return names;
}

class Reader {
 public:
  explicit Reader(const std::string& path) : path_(path), in_(path) {
    if (!in_) throw Error(path, "cannot be read", "give the path of a pebbling file");
  }

  // The words of the next line that has any; false at the end.
  bool next(std::vector<std::string>& words) {
    for (std::string line; std::getline(in_, line);) {
      ++line_;
      std::istringstream in(line.substr(0, line.find('#')));
      words.clear();
      for (std::string word; in >> word;) words.push_back(word);
      if (!words.empty()) return true;
    }
    return false;
  }

  [[noreturn]] void refuse(const std::string& why, const std::string& remedy) const {
    throw Error(path_ + ":" + std::to_string(line_), why, remedy);
  }

  std::int64_t number(const std::string& text) const {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < 0) {
      refuse("'" + text + "' is no number", "write a whole number");
    }
    return value;
  }

 private:
  std::string path_;
  std::ifstream in_;
  int line_ = 0;
};

Level level_of(const Reader& reader, const std::vector<std::string>& words) {
  if (words.size() != 5 || words[2] != "words" || words[4] != "units") {
    reader.refuse("a level is missing a part", "write 'level 64 words 1 units'");
  }
  const std::int64_t units = reader.number(words[3]);
  if (units < 1 || units > 65535) reader.refuse("a level of " + words[3] + " units", "1 to 65,535");
  return {reader.number(words[1]), static_cast<int>(units)};
}

// What follows "graph" on its line.
std::string description_in(const std::vector<std::string>& words) {
  std::string description;
  for (std::size_t w = 1; w < words.size(); ++w) description += (w > 1 ? " " : "") + words[w];
  return description;
}

// "accumulate VERTEX OPERAND", "load VERTEX @level.unit", ..
template <class Named>
Move move_in(const Reader& reader, const std::vector<std::string>& words, const Named& named) {
  const auto rule = rule_names().find(words.front());
  const bool two = rule != rule_names().end() && rule->second == Rule::accumulate;
  if (rule == rule_names().end() || words.size() < 2 || words.size() > 3 ||
      (two && words.size() != 3)) {
    reader.refuse("'" + words.front() + "' is no move",
                  "write 'load VERTEX', 'accumulate VERTEX OPERAND' and so on");
  }
  Move move{rule->second, 1, 0, named(words[1])};
  if (two) {
    move.operand = named(words[2]);
  } else if (words.size() == 3) {
    const auto dot = words[2].find('.');
    if (words[2].front() != '@' || dot == std::string::npos) {
      reader.refuse("'" + words[2] + "' is no unit", "write '@level.unit'");
    }
    const std::int64_t level = reader.number(words[2].substr(1, dot - 1));
    const std::int64_t unit = reader.number(words[2].substr(dot + 1));
    if (level > 255 || unit > 65535) reader.refuse("'" + words[2] + "' is out of range", "");
    move.level = static_cast<std::uint8_t>(level);
    move.unit = static_cast<std::uint16_t>(unit);
  }
  return move;
}

}  // namespace

void write_pebbling(std::ostream& out, const Graph& graph, const Pebbling& pebbling) {
  if (!pebbling.graph.empty()) out << "graph " << pebbling.graph << '\n';
  for (const auto& [name, kind] : game_names()) {
    if (kind == pebbling.game.kind) out << "game " << name << '\n';
  }
  for (const Level& level : pebbling.game.levels) {
    out << "level " << level.words << " words " << level.units << " units\n";
  }
  const bool many = pebbling.game.levels.size() > 1 || pebbling.game.levels.front().units > 1;
  for (const Move& move : pebbling.moves) out << text_of(graph, move, many) << '\n';
}

std::string graph_of_pebbling(const std::string& path) {
  Reader reader(path);
  std::vector<std::string> words;
  while (reader.next(words)) {
    if (words.front() != "graph") continue;
    return description_in(words);
  }
  throw Error(path, "does not say which graph it is for", "begin it with 'graph matmul:2,2,2'");
}

Pebbling read_pebbling(const std::string& path, const Graph& graph) {
  Reader reader(path);
  std::unordered_map<std::string, Vertex> vertices;
  for (Vertex v = 0; v < graph.size(); ++v) vertices.emplace(graph.name(v), v);
  const auto named = [&](const std::string& name) {
    const auto vertex = vertices.find(name);
    if (vertex == vertices.end()) {
      reader.refuse("the graph has no vertex '" + name + "'",
                    graph.size() == 0 ? "" : "names look like '" + graph.name(0) + "'");
    }
    return vertex->second;
  };
  Pebbling pebbling;
  bool has_game = false;
  std::vector<std::string> words;
  while (reader.next(words)) {
    if (words.front() == "graph") {
      pebbling.graph = description_in(words);
      continue;
    }
    if (words.front() == "game") {
      const auto known = game_names().find(words.size() == 2 ? words[1] : "");
      if (known == game_names().end()) {
        reader.refuse("no such game",
                      "use red-blue, red-blue-white, parallel, hierarchical or partial");
      }
      pebbling.game.kind = known->second;
      has_game = true;
      continue;
    }
    if (words.front() == "level") {
      pebbling.game.levels.push_back(level_of(reader, words));
      continue;
    }
    pebbling.moves.push_back(move_in(reader, words, named));
  }
  if (!has_game || pebbling.game.levels.empty()) {
    reader.refuse("no game or no level", "begin with 'game red-blue' and 'level 6 words 1 units'");
  }
  if (pebbling.game.kind == Game::Kind::hierarchical) hierarchical(pebbling.game.levels);
  return pebbling;
}

}  // namespace redblue::cdag
