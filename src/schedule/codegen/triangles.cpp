// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/codegen/triangles.hpp"

#include <isl/map.h>
#include <isl/set.h>
#include <isl/union_map.h>

#include <algorithm>
#include <functional>
#include <set>

#include "schedule/c_text.hpp"
#include "schedule/codegen/ast_text.hpp"
#include "schedule/codegen/statement_text.hpp"
#include "schedule/codegen/storage.hpp"
#include "schedule/order.hpp"
#include "schedule/region_text.hpp"

namespace redblue::schedule::codegen {

using program::Program;
using program::Statement;
using Member = PairLoops::Member;

namespace {

// Names that the emitted loops use, none of them the program's.
struct Names {
  std::string line, first, rows, block, u, v, p, q, high, low;
  std::string high_begin, high_end, low_begin, low_end, moment;
};

Names names_beside(const std::set<std::string>& used) {
  const auto fresh = [&used](std::string name) {
    while (used.count(name) != 0) name += "_";
    return name;
  };
  const auto without_numbered = [&used](std::string name) {
    const auto begins = [&name](const std::string& word) { return word.starts_with(name); };
    while (std::any_of(used.begin(), used.end(), begins)) name += "_";
    return name;
  };
  return {fresh("line"),      fresh("first"),      fresh("rows"),
          fresh("block"),     fresh("u"),          fresh("v"),
          fresh("p"),         fresh("q"),          fresh("high"),
          fresh("low"),       fresh("high_begin"), fresh("high_end"),
          fresh("low_begin"), fresh("low_end"),    without_numbered("moment")};
}

std::size_t rest_length(const isl::map& rest) {
  return static_cast<std::size_t>(isl_map_dim(rest.get(), isl_dim_out));
}

class TriangleWriter {
 public:
  TriangleWriter(const Program& program, const TriangleBlocks& blocks)
      : program_(program),
        blocks_(blocks),
        text_(program, none_),
        storage_(program, none_),
        names_(names_beside(storage_.names())) {}

  std::string region() const {
    Lines lines(1);
    storage_.declare(lines);
    own_loops(blocks_.loops.before, lines);
    triangles(lines);
    own_loops(blocks_.loops.after, lines);
    return lines.text();
  }

 private:
  void write(const std::vector<std::string>& names, const isl::union_map& times,
             const isl::set& known, const std::function<void(const Reached&, Lines&)>& write,
             Lines& lines) const {
    LoopText loops;
    loops.times = times;
    loops.known = known;
    loops.type = "long";
    loops.names = names;
    loops.write = write;
    write_loops(loops, lines);
  }

  void statement(const Reached& reached, Lines& lines) const {
    for (std::size_t s = 0; s < program_.statements.size(); ++s) {
      if (program_.statements[s].name == reached.name) lines.add(text_.at(s, reached.coordinates));
    }
  }

  // The program's own loops around some of its statements.
  void own_loops(const std::vector<std::size_t>& statements, Lines& lines) const {
    if (statements.empty()) return;
    isl::union_map times = nothing();
    for (const std::size_t s : statements)
      times = times.unite(isl::union_map(program_.statements[s].schedule));
    write(
        times_names(), times, isl::set(program::context(), "{ : }"),
        [this](const Reached& reached, Lines& inner) { statement(reached, inner); }, lines);
  }

  void triangles(Lines& lines) const {
    const isl::set rows = rows_of(program_, blocks_.loops);
    const auto bound = [&rows](isl_pw_aff* value) {
      return tidy(renamed(in_parameters(isl::manage(value), rows.params())));
    };
    const std::string points = std::to_string(blocks_.points);
    std::string line;
    for (const int piece : blocks_.line) line += (line.empty() ? "" : ", ") + std::to_string(piece);
    lines.open("");
    lines.add("static const int " + names_.line + "[] = {" + line + "};");
    lines.add("const long " + names_.first + " = " + bound(isl_set_dim_min(rows.copy(), 0)) + ";");
    lines.add("const long " + names_.rows + " = " + bound(isl_set_dim_max(rows.copy(), 0)) +
              " + 1 - " + names_.first + ";");
    lines.open("for (int " + names_.block + " = 0; " + names_.rows + " > 0 && " + names_.block +
               " < " + points + "; " + names_.block + "++)");
    moments(lines);
    lines.close();
    lines.close();
  }

  // Loops around what is left of the members' time.
  void moments(Lines& lines) const {
    isl::union_map times = nothing();
    for (std::size_t m = 0; m < blocks_.loops.members.size(); ++m) {
      const Member& member = blocks_.loops.members[m];
      const isl::map rest = rest_of_time(program_, member);
      const isl::set moments =
          rest.intersect_domain(program_.statements[member.statement].domain).range();
      isl_set* named = isl_set_set_tuple_name(moments.copy(), ("T" + std::to_string(m)).c_str());
      isl_map* order = isl_set_identity(named);
      times = times.unite(isl::union_map(isl::manage(isl_map_reset_tuple_id(order, isl_dim_out))));
    }
    write(
        times_names(), times, isl::set(program::context(), "{ : }"),
        [this](const Reached& reached, Lines& inner) {
          const std::size_t m = std::stoul(reached.name.substr(1));
          pairs(blocks_.loops.members[m], reached.coordinates, inner);
        },
        lines);
  }

  // All pairs of pieces of the block: piece line[u] + block with piece line[v] + block.
  void pairs(const Member& m, const std::vector<std::string>& moment, Lines& lines) const {
    const Names& n = names_;
    const std::string points = std::to_string(blocks_.points);
    Lines body(lines.indent() + 1);
    body.open("for (int " + n.u + " = 0; " + n.u + " < " + std::to_string(blocks_.line.size()) +
              "; " + n.u + "++)");
    body.open("for (int " + n.v + " = 0; " + n.v + " <= " + n.u + "; " + n.v + "++)");
    body.add("if (" + n.u + " == " + n.v + " && " + n.u + " > 0) continue;");
    body.add("const int " + n.p + " = (" + n.line + "[" + n.u + "] + " + n.block + ") % " + points +
             ";");
    body.add("const int " + n.q + " = (" + n.line + "[" + n.v + "] + " + n.block + ") % " + points +
             ";");
    body.add("const long " + n.high + " = redblue_max(" + n.p + ", " + n.q + ");");
    body.add("const long " + n.low + " = redblue_min(" + n.p + ", " + n.q + ");");
    piece(n.high, n.high_begin, n.high_end, body);
    piece(n.low, n.low_begin, n.low_end, body);
    inner_loops(m, false, body);
    Lines turned(body.indent() + 1);
    inner_loops(m, true, turned);
    if (!turned.text().empty()) {
      body.open("if (" + n.u + " != " + n.v + ")");
      body.append(turned);
      body.close();
    }
    body.close();
    body.close();
    lines.open("");
    for (std::size_t d = 0; d < moment.size(); ++d) {
      const std::string name = n.moment + std::to_string(d);
      const bool used = with_words(body.text(), {{name, ""}}) != body.text();
      if (used) lines.add("const long " + name + " = " + moment[d] + ";");
    }
    lines.append(body);
    lines.close();
  }

  // The rows of a piece.
  void piece(const std::string& number, const std::string& begin, const std::string& end,
             Lines& lines) const {
    const std::string points = std::to_string(blocks_.points);
    const std::string rows = names_.first + " + " + names_.rows + " * ";
    lines.add("const long " + begin + " = " + rows + number + " / " + points + ";");
    lines.add("const long " + end + " = " + rows + "(" + number + " + 1) / " + points + ";");
  }

  // Loops over the pairs of two pieces at one moment: i in the higher piece, j in the lower one,
  // or the other way round.
  void inner_loops(const Member& m, bool turned, Lines& lines) const {
    const Names& n = names_;
    const Statement& s = program_.statements[m.statement];
    const isl::map rest = rest_of_time(program_, m);
    const std::string moment = numbered(n.moment, rest_length(rest));
    const std::string bounds =
        n.high_begin + ", " + n.high_end + ", " + n.low_begin + ", " + n.low_end;
    const std::string parameters = "[" + moment + (moment.empty() ? "" : ", ") + bounds + "] -> ";
    const std::size_t dimensions = s.iterators.size();
    const auto within = [&n](int d, bool high) {
      const std::string x = "x" + std::to_string(d);
      return (high ? n.high_begin : n.low_begin) + " <= " + x + " < " +
             (high ? n.high_end : n.low_end);
    };
    const std::string apart = (turned ? n.low_end : n.low_begin) + " <= " + n.high_begin;
    const isl::set pieces(program::context(), parameters + "{ : " + apart + " }");
    const isl::set here(program::context(),
                        parameters + "{ " + s.name + "[" + numbered("x", dimensions) +
                            "] : " + within(m.i, !turned) + " and " + within(m.j, turned) + " }");
    const isl::set now(program::context(), parameters + "{ [" + moment + "] }");
    const isl::set then = rest.intersect_domain(s.domain).intersect_range(now).domain();
    const isl::set known = then.params().intersect(pieces);
    const isl::set all = then.intersect(here).intersect_params(known);
    if (all.is_empty()) return;
    std::string order = "x" + std::to_string(m.i) + ", x" + std::to_string(m.j);
    std::vector<std::string> names{beside(s.iterators[static_cast<std::size_t>(m.i)]),
                                   beside(s.iterators[static_cast<std::size_t>(m.j)])};
    for (std::size_t d = 0; d < dimensions; ++d) {
      if (static_cast<int>(d) == m.i || static_cast<int>(d) == m.j) continue;
      order += ", x" + std::to_string(d);
      names.push_back(beside(s.iterators[d]));
    }
    const isl::map times(program::context(), "{ " + s.name + "[" + numbered("x", dimensions) +
                                                 "] -> [" + order + "] }");
    write(
        names, isl::union_map(times.intersect_domain(all)), known,
        [this](const Reached& reached, Lines& inner) { statement(reached, inner); }, lines);
  }

  // A name for a loop that is none of the program's and none of those around.
  std::string beside(std::string name) const {
    const Names& n = names_;
    const std::set<std::string> around{n.line,       n.first,    n.rows,      n.block,  n.u,
                                       n.v,          n.p,        n.q,         n.high,   n.low,
                                       n.high_begin, n.high_end, n.low_begin, n.low_end};
    const std::set<std::string> used = storage_.names();
    while (used.count(name) != 0 || used.count(name + "_end") != 0 || around.count(name) != 0)
      name += "_";
    return name;
  }

  std::vector<std::string> times_names() const {
    constexpr int most_dimensions = 64;
    std::vector<std::string> names;
    for (int d = 0; d < most_dimensions; ++d) names.push_back(beside("t" + std::to_string(d)));
    return names;
  }

  const Program& program_;
  const TriangleBlocks& blocks_;
  const std::vector<Family> none_;
  StatementText text_;
  Storage storage_;
  Names names_;
};

}  // namespace

std::string emitted(const Program& program, const TriangleBlocks& blocks) {
  require_one_region(program);
  return with_region(program, "", TriangleWriter(program, blocks).region());
}

}  // namespace redblue::schedule::codegen
