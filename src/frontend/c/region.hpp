// Walks the statements of a region and collects them in a Program.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "frontend/c/affine.hpp"

namespace redblue::frontend::c {

// Calls f on the node and on all below it.
void visit(const Node& node, const std::function<void(const Node&)>& f);

// if (..) return -1; without an else: at the start of a function a condition on all that follows.
bool is_early_return(const Node& node);

// Declaration keys of the variables assigned or declared with a value below `node`.
std::set<std::string> assigned_below(const Node& node);

class RegionReader {
 public:
  // `statements`: the region's top-level statements, in order. `changing`: declaration keys of
  // further variables that are assigned somewhere, so no parameters.
  explicit RegionReader(const std::vector<Node>& statements, std::set<std::string> changing = {});

  program::Program read();
  // What an expression alone reads.
  std::vector<program::Access> read_value(const Node& expression);
  // What the region's statements name, but for loop counters; after read().
  std::vector<program::Variable> variables() const;
  // The declaration of each array and scalar read or written so far, by its name in the program.
  const std::map<std::string, Node>& declarations() const { return declarations_; }

 private:
  // Where the walk stands: the scope, the loop names and the statement's place in time.
  struct Place {
    Scope scope;
    std::vector<std::string> iterators;
    std::vector<int> order;       // text position of each enclosing loop, outermost first
    std::vector<Node> variables;  // of those loops, and integers declared with a value
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

  Place outside_loops() const;
  void walk(const Node& node, const Place& place);
  void walk_next(const Node& node, Place& place);
  bool name_integer(const Node& variable, Place& place) const;
  void walk_loop(const Node& node, const Place& place);
  void walk_if(const Node& node, const Place& place);
  Loop loop_parts(const Node& node) const;

  void add_assignment(const Node& node, const Place& place);
  void add_declaration(const Node& variable, const Place& place);
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
  std::set<std::string> declared_;    // variables whose declaration stands in the region
  std::set<std::string> reassigned_;  // variables that change after their declaration
  std::map<std::string, std::string> array_names_;  // declaration key -> unique name
  std::map<std::string, Node> declarations_;        // and back
  program::Program program_;
  int position_ = 0;  // counts loops and statements in text order
};

}  // namespace redblue::frontend::c
