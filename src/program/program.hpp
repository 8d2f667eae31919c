// SPDX-License-Identifier: BSD-3-Clause
// The loop-nest model every front end yields and every analysis reads (sets and maps on isl).
#pragma once

#include <isl/cpp.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace redblue::program {

// The isl context all sets and maps of the process live in.
isl::ctx context();

// Characters of a text: from `begin` up to `end`.
struct Span {
  std::size_t begin = 0, end = 0;
};

// The values one access of a statement reads, as far as they come from one place.
struct Source {
  std::string statement;  // who computed them; empty for inputs of the program
  isl::map values;        // reading instance -> computing instance, or -> input element
};

// One array reference of a statement.
struct Access {
  std::string array;
  std::string text;              // as in the source, for messages: "A[i][k]"
  isl::map elements;             // [parameters] -> { Statement[iterators] -> array[subscripts] }
  bool conditional = false;      // read on one branch of a data-dependent choice only
  std::vector<Span> where = {};  // in Statement::source; several where a read is repeated
  // Of a read, in the program it belongs to; null: not derived yet.
  std::shared_ptr<const std::vector<Source>> sources = nullptr;
};

// A loop variable of the source and its value at an instance (counters of strided loops differ).
struct Counter {
  std::string name;
  isl::pw_aff value;         // over the instances, unnamed
  std::string type = "int";  // as C has it
  bool outside = false;      // declared before the region
};

struct Statement {
  std::string name;
  std::vector<std::string> iterators;  // outermost first, one per dimension of the domain
  isl::set domain;                     // the statement's instances
  isl::map schedule;                   // instance -> time, lexicographic
  std::vector<Access> reads;
  std::vector<Access> writes;
  int line = 0;
  std::string source = {};             // the assignment as written; empty: the input was no C
  std::vector<Counter> counters = {};  // in scope, outermost first
};

struct Array {
  int dimensions = 0;
  std::string declaration = {};  // "double w", where it stands inside the region
  // The elements something may read after the program, for storage that dies with the function the
  // program stands in; nothing: any of them. Final values of other elements are dead.
  std::optional<isl::set> read_after = {};
  std::string read_after_text = {};  // "x[N - 1], x[0]": what the function reads after it
  std::string why = {};              // who said so, where it was not the source: "--scratch"

  bool dead() const { return read_after && read_after->is_empty(); }
};

// Elements of the array among `written` whose final values must end in slow memory: outputs.
isl::set outputs(const Array& array, const isl::set& written);

// An array nobody reads after the program.
Array dead_array(const std::string& name, int dimensions);

// A variable that the region's statements name.
struct Variable {
  std::string name;
  std::string type;     // without typedefs: "double", "int"; of an array, of its elements
  bool inside = false;  // declared in the region
  bool array = false;
  // Of an array, outermost first, functions of the parameters; NaN where the declaration does not
  // say (pointers) or redblue cannot read it.
  std::vector<isl::pw_aff> extents = {};
};

// Where the program stands in its C text.
struct Region {
  std::string file;
  std::string text;                      // of the file, or the C it was turned into
  Span where;                            // the characters of `text` its statements fill
  int pieces = 0;                        // regions read as one program; 0: the input was no C
  std::vector<Variable> variables = {};  // in the order of their declarations; loops' left out
  // Why the statements' text alone does not say what they do, so that no schedule of them can be
  // written as C; empty: it does. "the branch at line 7 depends on data"
  std::string no_code = {};

  bool can_be_written() const { return pieces == 1 && no_code.empty(); }
  // Of a program that cannot.
  std::string why_not_written() const {
    return pieces == 0 ? "it was not read from C" : pieces > 1 ? "it has several regions" : no_code;
  }
};

// A statement that replaces the element it writes by a function of what the element held, a read,
// and something else.
struct Update {
  std::size_t statement = 0, read = 0;
  std::string function;  // "fmax"
};

struct Program {
  std::string name;
  std::vector<std::string> parameters;
  std::map<std::string, Array> arrays;
  std::vector<Statement> statements;
  Region region = {};
  // The sizes that the program is read for; nothing: all. At others there are no instances, and
  // `invalid` says what is wrong with them: "rows of 'A' overlap".
  std::optional<isl::set> valid = {};
  std::string invalid = {};
  // What the program is taken to do besides: "the branch at line 7 is taken".
  std::vector<std::string> assumed = {};
  // How the source was read where its language leaves it open, printed beside every result:
  // "A and B share no memory".
  std::vector<std::string> taken = {};
  // Those of one element and one function may run in any order; empty: as written.
  std::vector<Update> commuting = {};
};

// A piecewise affine function, piece by piece.
struct AffinePiece {
  isl::set where;
  isl::aff value;
};
std::vector<AffinePiece> pieces_of(const isl::pw_aff& function);

// The formula of each dimension of the map's range; empty where one has several pieces.
std::vector<isl::aff> single_formulas(const isl::map& map);

// What a subscript looks like as a function of the iterators.
struct Subscript {
  enum class Kind { constant, coordinate, mixed } kind = Kind::constant;
  int iterator = -1;  // for coordinate: the one iterator it is an injective function of
};

// One entry per dimension of the map's range; a dimension whose formula differs between pieces of
// the domain is mixed.
std::vector<Subscript> subscripts(const isl::map& map);

}  // namespace redblue::program
