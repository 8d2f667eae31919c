// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/code.hpp"

#include <isl/aff.h>
#include <isl/set.h>
#include <isl/union_map.h>

#include <algorithm>
#include <regex>

#include "redblue/error.hpp"
#include "schedule/c_text.hpp"
#include "schedule/order.hpp"

namespace redblue::schedule {

using program::Access;
using program::Program;
using program::Statement;

namespace {

std::string on_one_line(const std::string& source) {
  const std::string bare = std::regex_replace(
      std::regex_replace(source, std::regex("//[^\n]*"), " "), std::regex("/\\*[^]*?\\*/"), " ");
  return std::regex_replace(bare, std::regex("\\s+"), " ");
}

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
      if (f.moved()) declare(f);
    }
    for (std::size_t s = 0; s < program_.statements.size(); ++s) define(s);
    text_ += loops;
    int copies = 0;
    for (const Family& f : families_) {
      if (!f.moved()) continue;
      for (const isl::map& last : f.last) copy_out(f, last, copies++);
    }
    for (const Family& f : families_) {
      if (f.moved() && dimensions(f) > 0) text_ += "free(" + f.storage + ");\n";
    }
    for (std::size_t s = 0; s < program_.statements.size(); ++s) {
      text_ += "#undef redblue_" + program_.statements[s].name + "\n";
    }
    for (int c = 0; c < copies; ++c) text_ += "#undef redblue_C" + std::to_string(c) + "\n";
    return text_;
  }

 private:
  int dimensions(const Family& f) const {
    return program_.arrays.at(f.array).dimensions + static_cast<int>(f.iterators.size());
  }

  // The elements of new storage: iterators, then subscripts.
  isl::set elements(const Family& f) const {
    const Program moved = privatised(program_, families_);
    std::optional<isl::set> all;
    for (const std::size_t s : f.writers) {
      const isl::set range = moved.statements[s].writes.front().elements.range();
      all = all ? all->unite(range) : range;
    }
    return *all;
  }

  void declare(const Family& f) {
    std::string element = f.array;
    for (int d = 0; d < program_.arrays.at(f.array).dimensions; ++d) element += "[0]";
    const std::string type = "__typeof__(" + element + ")";
    const int all = dimensions(f);
    if (all == 0) {
      text_ += type + " " + f.storage + ";\n";
      return;
    }
    const isl::set where = elements(f);
    std::string rows, first;
    for (int d = 0; d < all; ++d) {
      const std::string extent =
          "redblue_max(1, " +
          renamed(in_parameters(isl::manage(isl_set_dim_max(where.copy(), d)), where.params())) +
          " + 1)";
      (d == 0 ? first : rows) += "[" + extent + "]";
    }
    text_ +=
        type + " (*" + f.storage + ")" + rows + " = malloc(sizeof(" + type + first + rows + "));\n";
    text_ += "if (" + f.storage + " == 0) abort();\n";
  }

  // The family an access belongs to, where that moved.
  const Family* moved(std::size_t s, std::optional<std::size_t> read) const {
    for (const Family& f : families_) {
      const bool here =
          read ? std::count(f.readers.begin(), f.readers.end(), std::pair(s, *read)) != 0
               : std::count(f.writers.begin(), f.writers.end(), s) != 0;
      if (here) return f.moved() ? &f : nullptr;
    }
    return nullptr;
  }

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
      std::size_t end = span.begin;
      while (end < span.end &&
             (std::isalnum(static_cast<unsigned char>(s.source[end])) != 0 || s.source[end] == '_'))
        ++end;
      if (end == span.begin) {
        throw Error(program_.region.file + ":" + std::to_string(s.line),
                    "'" + access.text + "' cannot be given other storage", "write it as A[i][j]");
      }
      changes.push_back({{span.begin, end}, name});
    }
  }

  void define(std::size_t index) {
    const Statement& s = program_.statements[index];
    std::vector<Change> changes;
    change(s, s.writes.front(), moved(index, {}), changes);
    for (std::size_t r = 0; r < s.reads.size(); ++r)
      change(s, s.reads[r], moved(index, r), changes);
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

constexpr const char* head =
    "#include <stdlib.h>\n"
    "#define redblue_floord(n, d) (((n) < 0) ? -((-(n) + (d) - 1) / (d)) : (n) / (d))\n"
    "#define redblue_min(x, y) ((x) < (y) ? (x) : (y))\n"
    "#define redblue_max(x, y) ((x) > (y) ? (x) : (y))\n";

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
  if (program.region.pieces != 1) {
    throw Error("C for " + program.name,
                program.region.pieces == 0 ? "it was not read from C" : "it has several regions",
                "give a function with one #pragma scop region");
  }
  if (!program.region.no_code.empty())
    throw Error("C for " + program.name, program.region.no_code,
                "ask for the schedule without -o, or write elements as A[i][j] and choices as ?:");
  const std::string& file = program.region.text;
  const program::Span where = program.region.where;
  return head + file.substr(0, where.begin) + "\n" + Writer(program, families).text(loops) +
         file.substr(where.end);
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
