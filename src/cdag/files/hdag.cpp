// SPDX-License-Identifier: BSD-3-Clause
// Graphs in the format of HyperDAG_DB: comments (%), a line "hyperedges nodes pins", a line for
// each hyperedge and each node (a number and weights), a line "hyperedge node" for each pin. The
// first pin of a hyperedge is the vertex that the others read.
#include <charconv>
#include <fstream>
#include <sstream>

#include "cdag/files/files.hpp"
#include "redblue/error.hpp"

namespace redblue::cdag {

namespace {

class Lines {
 public:
  explicit Lines(const std::string& path) : path_(path), in_(path) {
    if (!in_) throw Error(path, "cannot be read", "give the path of a graph file");
  }

  // The numbers on the next line that is no comment; at least `least` of them, none below 0.
  std::vector<std::int64_t> next(std::size_t least, const std::string& what) {
    std::string line;
    do {
      ++number_;
      if (!std::getline(in_, line)) refuse("the file ends where " + what + " should stand");
    } while (line.starts_with('%'));
    std::istringstream words(line.substr(0, line.find('%')));
    std::vector<std::int64_t> result;
    for (std::string word; words >> word;) {
      std::int64_t value = -1;
      const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
      const bool whole = error == std::errc() && end == word.data() + word.size() && value >= 0;
      if (!whole && result.size() < least) refuse("'" + word + "' is no number of " + what);
      if (!whole) break;  // what is not standardised may follow
      result.push_back(value);
    }
    if (result.size() < least) refuse("'" + line + "' is too short for " + what);
    return result;
  }

  // One of the numbers from 0 to size - 1.
  std::size_t index(std::int64_t number, std::size_t size, const std::string& what) const {
    if (number >= static_cast<std::int64_t>(size)) {
      refuse(what + " " + std::to_string(number) + " of " + std::to_string(size) +
             ", counted from 0");
    }
    return static_cast<std::size_t>(number);
  }

  [[noreturn]] void refuse(const std::string& why) const {
    throw Error(
        path_ + ":" + std::to_string(number_), why,
        "write 'hyperedges nodes pins', a line for each hyperedge and node, then 'hyperedge "
        "node' for each pin");
  }

 private:
  std::string path_;
  std::ifstream in_;
  int number_ = 0;
};

// The lines that list hyperedges or nodes, each number once.
void read_list(Lines& lines, std::size_t size, const std::string& what) {
  std::vector<bool> seen(size, false);
  for (std::size_t i = 0; i < size; ++i) {
    const std::size_t at = lines.index(lines.next(1, what).front(), size, what);
    if (seen[at]) lines.refuse(what + " " + std::to_string(at) + " is listed twice");
    seen[at] = true;
  }
}

}  // namespace

Graph read_hdag(const std::string& path) {
  constexpr std::int64_t most = 50'000'000;
  Lines lines(path);
  const std::vector<std::int64_t> sizes = lines.next(3, "hyperedges, nodes and pins");
  for (int n = 0; n < 3; ++n) {
    if (sizes[static_cast<std::size_t>(n)] > most) lines.refuse("more than 50,000,000 of a kind");
  }
  const auto hyperedges = static_cast<std::size_t>(sizes[0]);
  const auto nodes = static_cast<std::size_t>(sizes[1]);
  read_list(lines, hyperedges, "hyperedge");
  read_list(lines, nodes, "node");
  NamedGraph given;
  for (std::size_t v = 0; v < nodes; ++v) given.names.push_back(std::to_string(v));
  given.tags.resize(nodes);
  std::vector<int> source(hyperedges, -1);
  for (std::int64_t p = 0; p < sizes[2]; ++p) {
    const std::vector<std::int64_t> pin = lines.next(2, "pin");
    int& from = source[lines.index(pin[0], hyperedges, "hyperedge")];
    const auto to = static_cast<int>(lines.index(pin[1], nodes, "node"));
    if (from < 0) {
      from = to;
    } else if (from == to) {
      lines.refuse("node " + std::to_string(to) + " reads itself");
    } else {
      given.edges.emplace_back(from, to);
    }
  }
  return sorted(path, given);
}

}  // namespace redblue::cdag
