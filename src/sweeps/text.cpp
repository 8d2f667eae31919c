// SPDX-License-Identifier: BSD-3-Clause
#include "sweeps/text.hpp"

#include <isl/aff.h>
#include <isl/map.h>
#include <isl/set.h>
#include <isl/val.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>

#include "redblue/error.hpp"
#include "schedule/c_text.hpp"

namespace redblue::sweeps {

using program::Access;
using program::Program;
using program::Statement;

namespace {

std::string offset_by(const std::string& name, std::int64_t by) {
  if (by == 0) return name;
  return name + (by < 0 ? " - " : " + ") + std::to_string(by < 0 ? -by : by);
}

// The position behind the bracket that closes the one at `open`.
std::size_t behind_bracket(const std::string& text, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    if (text[i] == '[') ++depth;
    if (text[i] == ']' && --depth == 0) return i + 1;
  }
  return std::string::npos;
}

// "A[i - 1][j]" as "A(i - 1, j)", the same subscripts of a part of the array; empty where it is
// written in another way.
std::string as_call(const std::string& access, const std::string& array) {
  std::size_t at = 0;
  while (at < access.size() && schedule::in_word(access[at])) ++at;
  if (access.substr(0, at) != array) return "";
  std::string subscripts;
  while (true) {
    while (at < access.size() && std::isspace(static_cast<unsigned char>(access[at])) != 0) ++at;
    if (at == access.size()) break;
    const std::size_t end = access[at] == '[' ? behind_bracket(access, at) : std::string::npos;
    if (end == std::string::npos) return "";
    subscripts += (subscripts.empty() ? "" : ", ") + access.substr(at + 1, end - at - 2);
    at = end;
  }
  return array + "(" + subscripts + ")";
}

struct Change {
  program::Span where;
  std::string text;
};

void change(const Program& program, const Statement& s, const Access& access,
            std::vector<Change>& changes) {
  for (const program::Span& where : access.where) {
    const bool inside = where.begin <= where.end && where.end <= s.source.size();
    const std::string call =
        inside ? as_call(s.source.substr(where.begin, where.end - where.begin), access.array) : "";
    if (call.empty()) {
      throw Error(program.region.file + ":" + std::to_string(s.line),
                  "'" + access.text + "' cannot be written for a part of the mesh",
                  "write it as A[i][j], without macros");
    }
    changes.push_back({where, call});
  }
}

// The statement with fields as calls of macros.
std::string on_parts(const Program& program, const Statement& s,
                     const std::vector<std::string>& fields) {
  std::vector<Change> changes;
  change(program, s, s.writes.front(), changes);
  for (const Access& read : s.reads) {
    if (std::count(fields.begin(), fields.end(), read.array) != 0)
      change(program, s, read, changes);
  }
  std::sort(changes.begin(), changes.end(),
            [](const Change& a, const Change& b) { return a.where.begin > b.where.begin; });
  std::string text = s.source;
  std::size_t last = std::string::npos;
  for (const Change& c : changes) {
    if (c.where.begin == last) continue;  // the two sides of x += e
    last = c.where.begin;
    text.replace(c.where.begin, c.where.end - c.where.begin, c.text);
  }
  return text;
}

// x + by of one of the dimensions of [time, element].
struct Shifted {
  int dimension = 0;
  std::int64_t by = 0;
};

std::optional<Shifted> shifted(const isl::pw_aff& value) {
  const std::vector<program::AffinePiece> pieces = program::pieces_of(value);
  if (pieces.size() != 1) return std::nullopt;
  const isl::aff f = pieces.front().value;
  if (isl_aff_dim(f.get(), isl_dim_div) != 0) return std::nullopt;
  std::optional<Shifted> result;
  for (int d = 0; d < static_cast<int>(isl_aff_dim(f.get(), isl_dim_in)); ++d) {
    const isl::val c = isl::manage(isl_aff_get_coefficient_val(f.get(), isl_dim_in, d));
    if (isl_val_is_zero(c.get())) continue;
    if (result || !isl_val_is_one(c.get())) return std::nullopt;
    result = Shifted{d, 0};
  }
  const isl::val constant = isl::manage(isl_aff_get_constant_val(f.get()));
  if (!result || !constant.is_int()) return std::nullopt;
  result->by = isl_val_get_num_si(constant.get());
  return result;
}

// A loop counter in terms of [time, element].
isl::pw_aff of_target(const isl::map& instances, const isl::pw_aff& counter) {
  isl_map* value = isl_map_reset_tuple_id(isl_map_from_pw_aff(counter.copy()), isl_dim_in);
  isl_map* unnamed = isl_map_reset_tuple_id(instances.copy(), isl_dim_out);
  isl_pw_multi_aff* both = isl_pw_multi_aff_from_map(isl_map_apply_range(unnamed, value));
  const isl::pw_aff result = isl::manage(isl_pw_multi_aff_get_pw_aff(both, 0));
  isl_pw_multi_aff_free(both);
  return result;
}

// The loop over a dimension of the mesh.
struct Loop {
  std::string variable, type;
  std::int64_t less = 0;  // the variable is the mesh point's coordinate less this
};

// Text of one sweep function.
class Writer {
 public:
  Writer(const Program& program, const Recognised& recognised, const Sweep& sweep,
         const Surroundings& around)
      : program_(program), recognised_(recognised), sweep_(sweep), around_(around) {
    for (int d = 0; d < recognised.dimensions; ++d) {
      loops_.push_back({"redblue_y" + std::to_string(d), "long", around.origin[at(d)]});
    }
    for (const program::Counter& counter : sweep.statement.counters) place(counter);
  }

  std::string text(int number) {
    line("");
    line("/* " + program_.region.file + ":" + std::to_string(sweep_.statement.line) + " */");
    line("void redblue_sweep_" + std::to_string(number) +
         "(const redblue_box *redblue_part, long long redblue_step, const redblue_view "
         "*redblue_fields, const redblue_view *redblue_target, void *const *redblue_inputs, const "
         "double *redblue_scalars)");
    line("{");
    indent_ = "  ";
    line("(void)redblue_step; (void)redblue_fields; (void)redblue_inputs; (void)redblue_scalars;");
    for (const std::string& integer : around_.integers) line(integer);
    for (const std::string& scalar : around_.scalars) line(scalar);
    inputs();
    const std::vector<std::string> used = fields();
    line("const long redblue_0 = (long)redblue_step + " + std::to_string(recognised_.first_time) +
         ";");
    line("(void)redblue_0;");
    for (const std::string& constant : constants_) line(constant);
    loops();
    for (const std::string& field : used) text_ += "#undef " + field + "\n";
    return text_ + "}\n";
  }

 private:
  static std::size_t at(int d) { return static_cast<std::size_t>(d); }

  void line(const std::string& text) { text_ += (text.empty() ? "" : indent_) + text + "\n"; }

  // A counter becomes a loop's variable, or a constant in front of the loops or inside them.
  void place(const program::Counter& counter) {
    const isl::pw_aff value = of_target(sweep_.instances, counter.value);
    const auto simple = shifted(value);
    const std::string type = counter.type;
    if (simple && simple->dimension == 0) {
      constants_.push_back("const " + type + " " + counter.name + " = (" + type + ")(" +
                           offset_by("redblue_0", simple->by) + "); (void)" + counter.name + ";");
    } else if (simple && loops_[at(simple->dimension - 1)].type == "long" &&
               loops_[at(simple->dimension - 1)].variable.starts_with("redblue_y")) {
      Loop& loop = loops_[at(simple->dimension - 1)];
      loop = {counter.name, type, loop.less - simple->by};
      order_.push_back(simple->dimension - 1);
    } else {
      inside_.push_back("const " + type + " " + counter.name + " = (" + type + ")" +
                        schedule::renamed(schedule::expression(value, sweep_.instances.domain())) +
                        "; (void)" + counter.name + ";");
    }
  }

  void inputs() {
    for (std::size_t i = 0; i < around_.inputs.size(); ++i) {
      const std::string& name = around_.inputs[i];
      std::string rows;
      const auto& extents = around_.extents.at(name);
      for (std::size_t d = 1; d < extents.size(); ++d)
        rows += "[" + std::to_string(extents[d]) + "]";
      line("const " + around_.element + " " + (rows.empty() ? "*" : "(*") + "restrict " + name +
           (rows.empty() ? "" : ")" + rows) + " = redblue_inputs[" + std::to_string(i) +
           "]; (void)" + name + ";");
    }
  }

  // Pointers to the fields this sweep uses, and A(i, j) for their elements.
  std::vector<std::string> fields() {
    std::vector<std::string> used = {sweep_.array};
    for (const Distance& read : sweep_.reads) {
      if (std::count(used.begin(), used.end(), read.array) == 0) used.push_back(read.array);
    }
    for (const std::string& field : used) {
      const auto number =
          std::find(around_.fields.begin(), around_.fields.end(), field) - around_.fields.begin();
      const bool target = field == sweep_.array;
      const std::string view =
          target ? "redblue_target" : "(redblue_fields + " + std::to_string(number) + ")";
      line(std::string(target ? "" : "const ") + around_.element + " *restrict const " + field +
           "_ = redblue_origin(" + view + ", sizeof(" + around_.element + "), " +
           std::to_string(around_.origin[0]) + ", " + std::to_string(around_.origin[1]) + ", " +
           std::to_string(around_.origin[2]) + ");");
      std::string macro = "#define " + field + "(";
      std::string place;
      for (int d = 0; d < recognised_.dimensions; ++d) {
        const std::string name = std::string(1, static_cast<char>('i' + d));
        macro += (d == 0 ? "" : ", ") + name;
        place += (d == 0 ? "(" : " + (") + name + ")";
        if (d + 1 == recognised_.dimensions) continue;
        const std::string stride = field + "_" + std::to_string(d);
        line("const long " + stride + " = (long)" + view + "->stride[" + std::to_string(d) + "];");
        place += " * " + stride;
      }
      text_ += macro + ") " + field + "_[" + place + "]\n";
    }
    return used;
  }

  void loops() {
    for (int d = 0; d < recognised_.dimensions; ++d) {
      if (std::count(order_.begin(), order_.end(), d) == 0) order_.insert(order_.begin(), d);
    }
    for (const int d : order_) {
      const Loop& loop = loops_[at(d)];
      const auto bound = [&](const std::string& end) {
        return "(" + loop.type + ")(" +
               offset_by("redblue_part->" + end + "[" + std::to_string(d) + "]", -loop.less) + ")";
      };
      const std::string end = "redblue_end" + std::to_string(d);
      line("const " + loop.type + " " + end + " = " + bound("end") + ";");
      line("for (" + loop.type + " " + loop.variable + " = " + bound("begin") + "; " +
           loop.variable + " < " + end + "; " + loop.variable + "++) {");
      indent_ += "  ";
    }
    if (!inside_.empty()) coordinates();
    for (const std::string& constant : inside_) line(constant);
    line(on_parts(program_, sweep_.statement, around_.fields) + ";");
    while (indent_.size() > 2) {
      indent_.resize(indent_.size() - 2);
      line("}");
    }
  }

  // What schedule::expression calls the dimensions of [time, element].
  void coordinates() {
    for (int d = 0; d < recognised_.dimensions; ++d) {
      const Loop& loop = loops_[at(d)];
      const std::string name = "redblue_" + std::to_string(d + 1);
      line("const long " + name + " = (long)" +
           offset_by(loop.variable, loop.less - around_.origin[at(d)]) + "; (void)" + name + ";");
    }
  }

  const Program& program_;
  const Recognised& recognised_;
  const Sweep& sweep_;
  const Surroundings& around_;
  std::vector<Loop> loops_;                      // per dimension of the mesh
  std::vector<int> order_;                       // dimensions, as the statement's loops nest
  std::vector<std::string> constants_, inside_;  // of a time step; of a point
  std::string indent_, text_;
};

std::string array_pointer(const std::string& element, const std::string& name,
                          const std::vector<std::int64_t>& extents, const std::string& value) {
  std::string rows;
  for (std::size_t d = 1; d < extents.size(); ++d) rows += "[" + std::to_string(extents[d]) + "]";
  return element + " " + (rows.empty() ? "*" + name : "(*" + name + ")" + rows) + " = " + value +
         "; (void)" + name + ";\n";
}

}  // namespace

std::string prelude() {
  return R"(
/* ---- what redblue adds: the loops as they are, and every sweep on a part of the mesh ---- */
typedef struct { long long begin[3], end[3]; } redblue_box;
typedef struct { void *data; long long first[3], stride[3]; } redblue_view;
#define redblue_floord(n, d) (((n) < 0) ? -((-(n) + (d) - 1) / (d)) : (n) / (d))
#define redblue_min(x, y) ((x) < (y) ? (x) : (y))
#define redblue_max(x, y) ((x) > (y) ? (x) : (y))

/* Where the element at (i, j, k) of the mesh would be. */
static inline void *redblue_origin(const redblue_view *view, long size, long i, long j, long k)
{
  const long long words = (i - view->first[0]) * view->stride[0] + (j - view->first[1]) * view->stride[1] + (k - view->first[2]) * view->stride[2];
  return (void *)((__UINTPTR_TYPE__)view->data + (__UINTPTR_TYPE__)(words * size));
}
)";
}

std::string sweep_text(const Program& program, const Recognised& recognised, const Sweep& sweep,
                       int number, const Surroundings& around) {
  return Writer(program, recognised, sweep, around).text(number);
}

std::string sequential_text(const Program& program, const Surroundings& around) {
  std::string text =
      "\nvoid redblue_sequential(void *const *redblue_fields, void *const *redblue_inputs, const "
      "double *redblue_scalars)\n{\n(void)redblue_fields; (void)redblue_inputs; "
      "(void)redblue_scalars;\n";
  for (const std::string& integer : around.integers) text += integer + "\n";
  for (const std::string& scalar : around.scalars) text += scalar + "\n";
  for (std::size_t f = 0; f < around.fields.size(); ++f) {
    const std::string& name = around.fields[f];
    if (std::count(around.local.begin(), around.local.end(), name) != 0) continue;
    text += array_pointer(around.element, name, around.extents.at(name),
                          "redblue_fields[" + std::to_string(f) + "]");
  }
  for (std::size_t i = 0; i < around.inputs.size(); ++i) {
    const std::string& name = around.inputs[i];
    text += array_pointer(around.element, name, around.extents.at(name),
                          "redblue_inputs[" + std::to_string(i) + "]");
  }
  for (const auto& [name, dimensions] : around.unused)
    text += array_pointer(around.element, name,
                          std::vector<std::int64_t>(static_cast<std::size_t>(dimensions), 1), "0");
  const program::Span where = program.region.where;
  return text + program.region.text.substr(where.begin, where.end - where.begin) + "\n}\n";
}

std::int64_t flops_of(const std::string& statement) {
  std::int64_t flops = 0;
  int brackets = 0;
  bool operand = false;  // whether something stands before that an operator could take
  for (std::size_t i = 0; i < statement.size(); ++i) {
    const char c = statement[i];
    const char next = i + 1 < statement.size() ? statement[i + 1] : ' ';
    if (c == '/' && next == '*') {
      i = std::min(statement.find("*/", i), statement.size() - 2) + 1;
      continue;
    }
    if (c == '/' && next == '/') {
      i = std::min(statement.find('\n', i), statement.size());
      continue;
    }
    if (c == '[') ++brackets;
    if (c == ']') --brackets;
    if (brackets > 0 || std::isspace(static_cast<unsigned char>(c)) != 0) continue;
    if (schedule::in_word(c) || c == '.') {
      const bool is_name = std::isdigit(static_cast<unsigned char>(c)) == 0 && c != '.';
      while (i + 1 < statement.size() &&
             (schedule::in_word(statement[i + 1]) || statement[i + 1] == '.'))
        ++i;
      // An exponent's sign belongs to its number: 1e-3.
      if (!is_name && (statement[i] == 'e' || statement[i] == 'E') && i + 1 < statement.size() &&
          (statement[i + 1] == '-' || statement[i + 1] == '+'))
        ++i;
      const std::size_t after = statement.find_first_not_of(' ', i + 1);
      if (is_name && after != std::string::npos && statement[after] == '(') ++flops;
      operand = true;
      continue;
    }
    if (operand && (c == '+' || c == '-' || c == '*' || c == '/')) ++flops;
    operand = c == ')' || c == ']';
  }
  return flops;
}

}  // namespace redblue::sweeps
