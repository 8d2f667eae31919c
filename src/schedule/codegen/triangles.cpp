// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/codegen/triangles.hpp"

#include <isl/map.h>
#include <isl/set.h>
#include <isl/union_map.h>

#include <algorithm>
#include <set>

#include "schedule/c_text.hpp"
#include "schedule/codegen/ast_text.hpp"
#include "schedule/codegen/statement_text.hpp"
#include "schedule/codegen/storage.hpp"
#include "schedule/order.hpp"
#include "schedule/region_text.hpp"
#include "schedule/time_maps.hpp"

namespace redblue::schedule::codegen {

using program::Program;
using program::Statement;
using Member = PairLoops::Member;

namespace {

// Names that the emitted loops use, none of them the program's.
struct Names {
  explicit Names(const std::set<std::string>& of_program) : used(of_program) {
    const auto begins = [this](const std::string& word) { return word.starts_with(moment); };
    while (std::any_of(used.begin(), used.end(), begins)) moment += "_";
    for (std::string* name : {&line, &first, &rows, &block, &u, &v, &p, &q, &high, &low,
                              &high_begin, &high_end, &low_begin, &low_end}) {
      *name = free_name(*name, used);
      used.insert(*name);
    }
  }

  std::set<std::string> used;
  std::string line = "line", first = "first", rows = "rows", block = "block", u = "u", v = "v";
  std::string p = "p", q = "q", high = "high", low = "low", high_begin = "high_begin";
  std::string high_end = "high_end", low_begin = "low_begin", low_end = "low_end";
  std::string moment = "moment";  // followed by a number
};

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
        names_(storage_.names()) {}

  std::string region() const {
    Lines lines(1);
    storage_.declare({}, lines);
    own_loops(blocks_.loops.before, lines);
    triangles(lines);
    own_loops(blocks_.loops.after, lines);
    return lines.text();
  }

 private:
  // Loops whose variables are called like `names`, the last ones t0, t1, ..
  LoopText loops(const isl::union_map& times, const std::vector<std::string>& names = {}) const {
    LoopText result;
    result.times = times;
    result.type = "long";
    for (int d = 0; d < longest(times); ++d) {
      const auto at = static_cast<std::size_t>(d);
      result.names.push_back(
          free_name(at < names.size() ? names[at] : "t" + std::to_string(d), names_.used));
    }
    result.write = [this](const Reached& reached, Lines& lines) { text_.write(reached, lines); };
    return result;
  }

  // The program's own loops around some of its statements.
  void own_loops(const std::vector<std::size_t>& statements, Lines& lines) const {
    if (statements.empty()) return;
    isl::union_map times = nothing();
    for (const std::size_t s : statements)
      times = times.unite(isl::union_map(program_.statements[s].schedule));
    write_loops(loops(times), lines);
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
    LoopText outer = loops(times);
    outer.write = [this](const Reached& reached, Lines& inner) {
      const std::size_t m = std::stoul(reached.name.substr(1));
      pairs(blocks_.loops.members[m], reached.coordinates, inner);
    };
    write_loops(outer, lines);
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
      if (has_word(body.text(), name)) lines.add("const long " + name + " = " + moment[d] + ";");
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
    std::vector<std::string> names{s.iterators[static_cast<std::size_t>(m.i)],
                                   s.iterators[static_cast<std::size_t>(m.j)]};
    for (std::size_t d = 0; d < dimensions; ++d) {
      if (static_cast<int>(d) == m.i || static_cast<int>(d) == m.j) continue;
      order += ", x" + std::to_string(d);
      names.push_back(s.iterators[d]);
    }
    const isl::map times(program::context(), "{ " + s.name + "[" + numbered("x", dimensions) +
                                                 "] -> [" + order + "] }");
    LoopText inner = loops(isl::union_map(times.intersect_domain(all)), names);
    inner.known = known;
    write_loops(inner, lines);
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
