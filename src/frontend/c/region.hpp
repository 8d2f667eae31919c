// SPDX-License-Identifier: BSD-3-Clause
// Walks the statements of a region and collects them in a Program.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "frontend/c/containers.hpp"
#include "frontend/c/flat_arrays.hpp"

namespace redblue::frontend::c {

// if (..) return -1; without an else: at the start of a function a condition on all that follows.
bool is_early_return(const Node& node);

// Declaration keys of the variables assigned or declared with a value below `node`.
std::set<std::string> assigned_below(const Node& node);

// Adds the keys of what a reference declared or passed at `node`, which may change it, is another
// name of.
void add_referenced(const Node& node, std::set<std::string>& keys);

// Whether a call has no effect and its value depends on the arguments' values alone.
bool depends_on_arguments_alone(const Node& call, int depth = 0);

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
    std::vector<Node> body;
  };

  // A container declared in the region whose elements are set to constants.
  struct Started {
    std::string array;
    Place place;
    int position;
    int line;
  };

  void expect_no_recursion(const Node& node, std::vector<std::string>& around) const;
  void note_names(const Node& node);
  void find_shapes();
  void read_once();
  Place outside_loops();
  void walk(const Node& node, const Place& place);
  void walk_all(const std::vector<Node>& nodes, std::size_t first, Place& place);
  void walk_next(const Node& node, Place& place);
  bool name_integer(const Node& variable, Place& place);
  void walk_loop(const Node& node, const Loop& loop, const Place& place);
  void walk_iterations(std::string name, const std::vector<Node>& body, Place& inner);
  void walk_if(const Node& node, const Place& place);
  void assume(const std::string& what);
  bool add_choice(const Node& condition, const Node& yes, const Node& no, const Place& place);
  void walk_branch_on_data(const Node& node, const Place& place);
  void walk_call(const Node& node, const Place& place);
  void name_bounds(const Node& loop, Place& around);
  Loop for_loop(const Node& node) const;
  std::optional<long long> constant_value(const Node& value) const;
  long long step_of(const Node& raw, const Node& variable) const;
  std::optional<Loop> while_loop(const std::vector<Node>& nodes, std::size_t first) const;

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
  void no_code(const std::string& why);
  std::optional<Node> pointed_at(const Node& pointer) const;
  bool name_other(const Node& variable, Place& place);
  void expect_captures_hold(const Node& lambda, const Place& place) const;
  void expect_known(const Node& expression, const Place& place) const;
  bool start_elements(const Node& variable, const Place& place);
  void add_started();
  Place inside_function(const Node& call, const Place& place);
  bool may_change(const std::vector<program::Access>& reads, const Node& body,
                  const Bindings& names) const;
  void add_value(const Node& variable, std::vector<program::Access> reads, const Place& place,
                 const Written& written);
  std::optional<std::pair<Node, Place>> walk_to_value(const Node& call, const Place& place);
  void walk_range_for(const Node& node, const Place& place);
  std::optional<std::vector<Term>> terms_of_sum(const std::vector<Bound>& parts,
                                                bool whole_sums) const;
  std::vector<isl::pw_aff> subscripts(const Node& node, const Element& element, const Place& place);
  std::vector<isl::pw_aff> flat_subscript(const Node& node, const Element& element,
                                          const Strides& shape, const Place& place);
  std::string array_name(const Element& element, int dimensions, const Node& where);

  const std::vector<Node>& statements_;
  std::set<std::string> written_;
  std::set<std::string> declared_;    // variables whose declaration stands in the region
  std::set<std::string> reassigned_;  // variables that change after their declaration
  // Of arrays of one dimension, while their shapes are looked for: the subscripts' sums; nothing
  // where one is no sum.
  // Of arrays of one dimension, by declaration key: their subscripts, sums multiplied out or whole.
  std::map<std::string, std::optional<std::vector<std::vector<Term>>>> sums_, whole_sums_;
  bool looking_for_shapes_ = false;
  std::map<std::string, Strides>
      shapes_;                     // declaration key -> of arrays whose rows stand in a line
  bool lost_shape_ = false;        // one of them turned out to have no such rows
  std::set<std::string> called_;   // functions read where they are called
  std::optional<Node> condition_;  // on data, which the next assignment must wait for
  std::map<std::string, std::string> array_names_;  // declaration key -> unique name
  std::map<std::string, Node> declarations_;        // and back
  std::vector<Started> started_;
  program::Program program_;
  int position_ = 0;  // counts loops and statements in text order
};

}  // namespace redblue::frontend::c
