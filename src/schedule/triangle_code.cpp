// SPDX-License-Identifier: BSD-3-Clause
// Triangle blocks in C.
#include <isl/aff.h>
#include <isl/map.h>
#include <isl/set.h>
#include <isl/union_map.h>

#include "schedule/c_text.hpp"
#include "schedule/order.hpp"
#include "schedule/triangle_blocks.hpp"

namespace redblue::schedule {

using program::Program;
using program::Statement;
using Member = PairLoops::Member;

namespace {

std::string call_name(const Member& m) {
  return "T" + std::to_string(m.statement);
}

std::size_t rest_length(const isl::map& rest) {
  return static_cast<std::size_t>(isl_map_dim(rest.get(), isl_dim_out));
}

// Loops around what is left of the members' time, which call a macro per member.
std::string outer_loops(const Program& program, const PairLoops& loops) {
  isl::union_map times = nothing();
  for (const Member& m : loops.members) {
    const Statement& s = program.statements[m.statement];
    const isl::map rest = rest_of_time(program, m);
    const isl::set moments = rest.intersect_domain(s.domain).range();
    const isl::set calls =
        isl::manage(isl_set_set_tuple_name(moments.copy(), call_name(m).c_str()));
    isl_map* order = isl_set_identity(calls.copy());
    times = times.unite(isl::union_map(isl::manage(isl_map_reset_tuple_id(order, isl_dim_out))));
  }
  return renamed(loops_text(times));
}

// Loops over the pairs of two pieces at one moment: i in the higher piece, j in the lower one, or
// the other way round.
std::string inner_loops(const Program& program, const Member& m, bool turned) {
  const Statement& s = program.statements[m.statement];
  const isl::map rest = rest_of_time(program, m);
  const std::string moment = numbered("redblue_r", rest_length(rest));
  const std::string bounds = "redblue_hb, redblue_he, redblue_lb, redblue_le";
  const std::string parameters = "[" + moment + (moment.empty() ? "" : ", ") + bounds + "] -> ";
  const std::size_t dimensions = s.iterators.size();
  const auto within = [](int d, const char* piece) {
    const std::string x = "x" + std::to_string(d);
    const std::string p = std::string("redblue_") + piece;
    return p + "b <= " + x + " < " + p + "e";
  };
  const std::string apart = turned ? "redblue_le <= redblue_hb" : "redblue_lb <= redblue_hb";
  const isl::set pieces(program::context(), parameters + "{ : " + apart + " }");
  const isl::set here(program::context(), parameters + "{ " + s.name + "[" +
                                              numbered("x", dimensions) +
                                              "] : " + within(m.i, turned ? "l" : "h") + " and " +
                                              within(m.j, turned ? "h" : "l") + " }");
  const isl::set now(program::context(), parameters + "{ [" + moment + "] }");
  const isl::set then = rest.intersect_domain(s.domain).intersect_range(now).domain();
  const isl::set known = then.params().intersect(pieces);
  const isl::set all = then.intersect(here).intersect_params(known);
  if (all.is_empty()) return "";
  std::string order = "x" + std::to_string(m.i) + ", x" + std::to_string(m.j);
  for (std::size_t d = 0; d < dimensions; ++d) {
    if (static_cast<int>(d) != m.i && static_cast<int>(d) != m.j)
      order += ", x" + std::to_string(d);
  }
  const isl::map times(program::context(),
                       "{ " + s.name + "[" + numbered("x", dimensions) + "] -> [" + order + "] }");
  return renamed(loops_text(isl::union_map(times.intersect_domain(all)), known));
}

// A macro's body on one line each.
std::string continued(const std::string& text) {
  std::string result;
  for (const char c : text) result += c == '\n' ? std::string(" \\\n") : std::string(1, c);
  return result;
}

std::string macro(const Program& program, const TriangleBlocks& blocks, const Member& m) {
  const std::size_t moments = rest_length(rest_of_time(program, m));
  std::string text =
      "#define redblue_" + call_name(m) + "(" + numbered("redblue_a", moments) + ") ";
  std::string body = "do {\n";
  for (std::size_t d = 0; d < moments; ++d) {
    const std::string number = std::to_string(d);
    body += "  const long redblue_r" + number + " = (redblue_a" + number + "); (void)redblue_r" +
            number + ";\n";
  }
  const std::string points = std::to_string(blocks.points);
  body += "  for (int redblue_u = 0; redblue_u < " + std::to_string(blocks.line.size()) +
          "; ++redblue_u)\n"
          "    for (int redblue_v = 0; redblue_v <= redblue_u; ++redblue_v) {\n"
          "      if (redblue_u == redblue_v && redblue_u > 0) continue;\n"
          "      const int redblue_p = (redblue_line[redblue_u] + redblue_block) % " +
          points +
          ";\n"
          "      const int redblue_q = (redblue_line[redblue_v] + redblue_block) % " +
          points +
          ";\n"
          "      const long redblue_h = redblue_max(redblue_p, redblue_q);\n"
          "      const long redblue_l = redblue_min(redblue_p, redblue_q);\n"
          "      const long redblue_hb = redblue_row(redblue_h), redblue_he = "
          "redblue_row(redblue_h + 1);\n"
          "      const long redblue_lb = redblue_row(redblue_l), redblue_le = "
          "redblue_row(redblue_l + 1);\n";
  body += inner_loops(program, m, false);
  if (const std::string turned = inner_loops(program, m, true); !turned.empty()) {
    body += "      if (redblue_u != redblue_v) {\n" + turned + "      }\n";
  }
  body += "    }\n} while (0)";
  return text + continued(body) + "\n";
}

}  // namespace

std::string triangle_loops(const Program& program, const TriangleBlocks& blocks) {
  const isl::set rows = rows_of(program, blocks.loops);
  const auto bound = [&rows](isl_pw_aff* value) {
    return renamed(in_parameters(isl::manage(value), rows.params()));
  };
  const std::string points = std::to_string(blocks.points);
  std::string text = "{\nstatic const int redblue_line[] = {";
  for (std::size_t u = 0; u < blocks.line.size(); ++u) {
    text += (u == 0 ? "" : ", ") + std::to_string(blocks.line[u]);
  }
  text += "};\nconst long redblue_first = " + bound(isl_set_dim_min(rows.copy(), 0)) +
          ", redblue_rows = " + bound(isl_set_dim_max(rows.copy(), 0)) + " + 1 - redblue_first;\n";
  text += "#define redblue_row(piece) (redblue_first + redblue_rows * (piece) / " + points + ")\n";
  for (const Member& m : blocks.loops.members) text += macro(program, blocks, m);
  text += "if (redblue_rows > 0)\nfor (int redblue_block = 0; redblue_block < " + points +
          "; ++redblue_block) {\n" + outer_loops(program, blocks.loops) + "}\n";
  for (const Member& m : blocks.loops.members) text += "#undef redblue_" + call_name(m) + "\n";
  return text + "#undef redblue_row\n}\n";
}

}  // namespace redblue::schedule
