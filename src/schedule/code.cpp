// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/code.hpp"

#include <isl/aff.h>
#include <isl/set.h>
#include <isl/union_map.h>

#include <algorithm>

#include "schedule/c_text.hpp"
#include "schedule/order.hpp"
#include "schedule/region_text.hpp"

namespace redblue::schedule {

using program::Access;
using program::Program;
using program::Statement;

namespace {

class Writer {
 public:
  Writer(const Program& program, const std::vector<Family>& families)
      : program_(program), families_(families) {}

  // `loops` call the statements' macros.
  std::string text(const std::string& loops) {
    for (const auto& [name, array] : program_.arrays) {
      if (!array.declaration.empty()) text_ += array.declaration + ";\n";
    }
    for (const Family& f : families_) {
      if (!f.moved()) continue;
      for (const std::string& line : declaration(program_, families_, f)) text_ += line + "\n";
    }
    for (std::size_t s = 0; s < program_.statements.size(); ++s) define(s);
    text_ += loops;
    int copies = 0;
    for (const Family& f : families_) {
      if (!f.moved()) continue;
      for (const isl::map& last : f.last) copy_out(f, last, copies++);
    }
    for (const Family& f : families_) {
      if (f.moved() && dimensions(program_, f) > 0) text_ += "free(" + f.storage + ");\n";
    }
    for (std::size_t s = 0; s < program_.statements.size(); ++s) {
      text_ += "#undef redblue_" + program_.statements[s].name + "\n";
    }
    for (int c = 0; c < copies; ++c) text_ += "#undef redblue_C" + std::to_string(c) + "\n";
    return text_;
  }

 private:
  struct Change {
    program::Span where;
    std::string text;
  };

  void change(const Statement& s, const Access& access, const Family* family,
              std::vector<Change>& changes) const {
    std::string name = family != nullptr ? family->storage : access.array;
    if (family != nullptr) {
      for (const int d : family->iterators) name += "[redblue_" + std::to_string(d) + "]";
    }
    for (const program::Span& span : access.where) {
      changes.push_back({array_name(program_, s, access, span), name});
    }
  }

  void define(std::size_t index) {
    const Statement& s = program_.statements[index];
    std::vector<Change> changes;
    change(s, s.writes.front(), moved_family(families_, index, {}), changes);
    for (std::size_t r = 0; r < s.reads.size(); ++r)
      change(s, s.reads[r], moved_family(families_, index, r), changes);
    std::sort(changes.begin(), changes.end(),
              [](const Change& a, const Change& b) { return a.where.begin > b.where.begin; });
    std::string source = s.source;
    std::size_t last = std::string::npos;
    for (const Change& c : changes) {
      if (c.where.begin == last) continue;  // the two sides of x += e
      last = c.where.begin;
      source.replace(c.where.begin, c.where.end - c.where.begin, c.text);
    }
    text_ += opening(s.name, s.iterators.size());
    for (const program::Counter& c : s.counters) {
      text_ += "const int " + c.name + " = (int)" + renamed(expression(c.value, s.domain)) + "; ";
    }
    for (const program::Counter& c : s.counters) text_ += "(void)" + c.name + "; ";
    text_ += on_one_line(source) + "; } while (0)\n";
  }

  // The macro of a statement up to where its coordinates have values.
  static std::string opening(const std::string& name, std::size_t dimensions) {
    std::string arguments, values;
    for (std::size_t d = 0; d < dimensions; ++d) {
      const std::string number = std::to_string(d);
      arguments += (d == 0 ? "redblue_a" : ", redblue_a") + number;
      values += "const long redblue_" + number + " = (redblue_a" + number + "); (void)redblue_" +
                number + "; ";
    }
    return "#define redblue_" + name + "(" + arguments + ") do { " + values;
  }

  // Elements of the array itself from the last values in the family's storage.
  void copy_out(const Family& f, const isl::map& last, int number) {
    const std::string name = "C" + std::to_string(number);
    const isl::set all = last.domain();
    const isl::pw_multi_aff writer = isl::manage(isl_pw_multi_aff_from_map(last.copy()));
    const int subscripts = program_.arrays.at(f.array).dimensions;
    std::string source, tail;
    for (int d = 0; d < subscripts; ++d) tail += "[redblue_" + std::to_string(d) + "]";
    for (const int d : f.iterators) {
      source +=
          "[" +
          renamed(expression(isl::manage(isl_pw_multi_aff_get_pw_aff(writer.get(), d)), all)) + "]";
    }
    text_ += opening(name, static_cast<std::size_t>(subscripts)) + f.array + tail + " = " +
             f.storage + source + tail + "; } while (0)\n";
    const isl::set named = isl::manage(isl_set_set_tuple_name(all.copy(), name.c_str()));
    isl_map* order = isl_set_identity(named.copy());
    order = isl_map_reset_tuple_id(order, isl_dim_out);
    text_ += renamed(loops_text(isl::union_map(isl::manage(order))));
  }

  const Program& program_;
  const std::vector<Family>& families_;
  std::string text_;
};

}  // namespace

std::vector<Family> needed(const Program& program, const isl::union_map& times,
                           const std::vector<Family>& families) {
  std::vector<Family> result = families;
  const auto moved = [](const Family& f) { return f.moved(); };
  if (std::none_of(families.begin(), families.end(), moved)) return result;
  for (Family& f : result) {
    if (!f.moved()) continue;
    const Family before = f;
    f.storage = f.array;
    f.iterators.clear();
    if (!respects(times, conflicts(privatised(program, result)))) f = before;
  }
  return result;
}

namespace {

std::string with_loops(const Program& program, const std::string& loops,
                       const std::vector<Family>& families) {
  require_one_region(program);
  return with_region(program, "", Writer(program, families).text(loops));
}

// The program's own loops around some of its statements.
std::string own_loops(const Program& program, const std::vector<std::size_t>& statements) {
  if (statements.empty()) return "";
  isl::union_map times = nothing();
  for (const std::size_t s : statements) {
    times = times.unite(isl::union_map(program.statements[s].schedule));
  }
  return renamed(loops_text(times));
}

}  // namespace

std::string code(const Program& program, const isl::union_map& times,
                 const std::vector<Family>& families) {
  return with_loops(program, renamed(loops_text(times)), families);
}

std::string code(const Program& program, const TriangleBlocks& blocks) {
  const std::string loops = own_loops(program, blocks.loops.before) +
                            triangle_loops(program, blocks) +
                            own_loops(program, blocks.loops.after);
  return with_loops(program, loops, {});
}

}  // namespace redblue::schedule
