// Walks the statements of a region and collects them in a Program.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "frontend/c/affine.hpp"

namespace redblue::frontend::c {

class RegionReader {
 public:
  // `statements`: the region's top-level statements, in order.
  explicit RegionReader(const std::vector<Node>& statements);

  program::Program read();

 private:
  // Where the walk stands: the scope, the loop names and the statement's place in time.
  struct Place {
    Scope scope;
    std::vector<std::string> iterators;
    std::vector<int> order;       // text position of each enclosing loop, outermost first
    std::vector<Node> variables;  // of those loops
  };

  // An assignment as written.
  struct Written {
    std::string source;
    std::ptrdiff_t begin = 0;  // where its first character would stand in the file
    int line = 0;
  };

  struct Loop {
    Node variable;
    Node start;
    long long step;
    Node test;
    Node body;
  };

  void walk(const Node& node, const Place& place);
  void walk_loop(const Node& node, const Place& place);
  void walk_if(const Node& node, const Place& place);
  Loop loop_parts(const Node& node) const;

  void add_assignment(const Node& node, const Place& place);
  void add_declaration(const Node& node, const Place& place);
  void add_statement(std::vector<program::Access> reads, program::Access write, const Place& place,
                     const Written& written);

  void read_expression(const Node& node, const Place& place, bool conditional,
                       std::vector<program::Access>& reads);
  void read_choice(const Node& node, const Place& place, bool conditional,
                   std::vector<program::Access>& reads);
  void read_call(const Node& node, const Place& place, bool conditional,
                 std::vector<program::Access>& reads);
  program::Access element(const Node& node, const Place& place);
  std::string array_name(const Node& declaration, int dimensions);

  const std::vector<Node>& statements_;
  std::set<std::string> written_;
  std::set<std::string> declared_;  // variables whose declaration stands in the region
  std::map<std::string, std::string> array_names_;  // declaration key -> unique name
  program::Program program_;
  int position_ = 0;  // counts loops and statements in text order
};

}  // namespace redblue::frontend::c
