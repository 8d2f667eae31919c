// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/codegen/microkernel.hpp"

#include <isl/map.h>
#include <isl/set.h>

#include <algorithm>

#include "schedule/blocks/block_maps.hpp"

namespace redblue::schedule::codegen {

using program::Statement;

namespace {

std::string number(std::int64_t n) {
  return std::to_string(n);
}

class BlockWriter {
 public:
  BlockWriter(const Microkernel& k, Lines& lines)
      : k_(k),
        c_(k.block->contraction),
        s_(k.program->statements[c_.statement]),
        lines_(&lines),
        wide_(k.vector_bytes / (c_.element == "float" ? 4 : 8)),
        vectors_(k.block->sizes.columns / wide_) {
    for (std::size_t d = 0; d < s_.iterators.size(); ++d) at_.push_back(s_.iterators[d]);
  }

  void block(const Reached& reached) {
    copied_ = reached.name == copied_block;
    with_constants(reached.coordinates, Of::block, [&] {
      each([&](std::int64_t r, std::int64_t v) {
        return "redblue_" + c_.element + " " + sum(r, v) + " = " + vector_at(element(r, v)) + ";";
      });
      loops(copied_ ? k_.block->copied : k_.block->whole, Of::block, [&](Lines&) { step(); });
      each([&](std::int64_t r, std::int64_t v) {
        return lvalue_at(element(r, v)) + " = " + sum(r, v) + ";";
      });
    });
  }

  void copy(const Reached& reached) {
    with_constants(reached.coordinates, Of::copy, [&] { copy_loops(); });
  }

  void rows(const Reached& reached) {
    with_constants(reached.coordinates, Of::rows, [&] { row_loops(); });
  }

  static std::string rows_name(const Microkernel& k) { return "rows" + k.name; }

  void single(const Reached& reached) {
    at_.assign(reached.coordinates.begin(), reached.coordinates.end() - 1);
    const std::string beside =
        in_parentheses(at_[column()]) + " - " + in_parentheses(reached.coordinates.back());
    const auto replaced = [&](std::size_t read, const std::string& text) {
      const auto& copies = k_.block->copies;
      const auto copy = std::find(copies.begin(), copies.end(), read);
      if (copy == copies.end()) return text;
      return copy_name(k_, static_cast<std::size_t>(copy - copies.begin())) + "[" + sum_index() +
             "][" + beside + "]";
    };
    lines_->add(k_.text->at(c_.statement, at_, replaced));
  }

  static std::string copy_name(const Microkernel& k, std::size_t o) {
    return "copy" + k.name + "_" + std::to_string(o);
  }

 private:
  std::size_t column() const { return static_cast<std::size_t>(c_.columns); }
  std::size_t row() const { return static_cast<std::size_t>(c_.rows); }
  std::string sum_name() const { return at_[static_cast<std::size_t>(c_.sums.front())]; }
  std::string tile_name() const {
    return s_.iterators[static_cast<std::size_t>(c_.sums.front())] + "_tile";
  }
  std::string sum_index() const { return in_parentheses(sum_name()) + " - " + tile_name(); }

  std::string row_product(const std::string& r) const {
    return rows_name(k_) + "[(" + at_[row()] + " - " + s_.iterators[row()] + "_tile) / " +
           number(k_.block->sizes.rows) + "][" + sum_index() + "][" + r + "]";
  }

  // Whose loops: a block's, its columns' copy's, its rows' factors'.
  enum class Of { block, copy, rows };

  std::string of_tile(std::size_t iterator) const { return s_.iterators[iterator] + "_tile"; }

  // What the body writes, in braces, below constants of the names that it uses.
  template <class Body>
  void with_constants(const std::vector<std::string>& coordinates, Of of, const Body& body) {
    const auto named = constants(coordinates, of);
    Lines* around = lines_;
    Lines inside(around->indent() + 1);
    lines_ = &inside;
    body();
    lines_ = around;
    lines_->open("");
    std::string text;
    for (const auto& [name, value] : named) {
      if (value == name || !has_word(inside.text(), name)) continue;
      text += (text.empty() ? "const " + k_.type + " " : ", ") + name + " = " + value;
    }
    if (!text.empty()) lines_->add(text + ";");
    lines_->append(inside);
    lines_->close();
  }

  // Names for what these loops reached, and its values.
  std::vector<std::pair<std::string, std::string>> constants(
      const std::vector<std::string>& coordinates, Of of) {
    std::vector<std::pair<std::string, std::string>> named;
    const auto define = [&](const std::string& name) {
      named.emplace_back(name, coordinates[named.size()]);
      parameters_.push_back(name);
    };
    for (const int d : c_.others) define(at_[static_cast<std::size_t>(d)]);
    define(tile_name());
    if (of == Of::rows) {
      define(of_tile(column()));
      define(at_[row()]);
    } else {
      define(of == Of::copy ? of_tile(row()) : at_[row()]);
      define(at_[column()]);
    }
    return named;
  }

  void copy_loops() {
    loops(k_.block->copied, Of::copy, [&](Lines& inner) {
      inner.open("for (" + k_.type + " v = 0; v < " + number(k_.block->sizes.columns) + "; v++)");
      for (std::size_t o = 0; o < k_.block->copies.size(); ++o) {
        std::vector<std::string> at = at_;
        at[column()] = at[column()] + " + v";
        inner.add(copy_name(k_, o) + "[" + sum_index() +
                  "][v] = " + k_.text->access(c_.statement, k_.block->copies[o], at) + ";");
      }
      inner.close();
    });
  }

  void row_loops() {
    loops(k_.block->copied, Of::rows, [&](Lines& inner) {
      inner.open("for (" + k_.type + " r = 0; r < " + number(k_.block->sizes.rows) + "; r++)");
      std::vector<std::string> at = at_;
      at[row()] = at[row()] + " + r";
      inner.add(row_product("r") + " = " + k_.text->part(c_.statement, *c_.factors, at) + ";");
      inner.close();
    });
  }

  // "r <= x < r + 96"; all of them where there are no tiles.
  static std::string in_tile(const std::string& x, const std::string& begin, std::int64_t size) {
    if (size == 0) return "";
    return " and " + begin + " <= " + x + " < " + begin + " + " + number(size);
  }

  // The loops over the sums of what the parameters name.
  void loops(const isl::set& steps, Of of, const std::function<void(Lines&)>& body) {
    std::vector<std::string> o, sums;
    std::string where;
    for (std::size_t d = 0; d < c_.others.size(); ++d) {
      o.push_back("o" + number(static_cast<std::int64_t>(d)));
      where += o.back() + " = " + parameters_[d] + " and ";
    }
    for (std::size_t d = 0; d < c_.sums.size(); ++d)
      sums.push_back("s" + number(static_cast<std::int64_t>(d)));
    const BlockSizes& sizes = k_.block->sizes;
    where += "0 = 0" + in_tile("s0", tile_name(), sizes.sum_tile);
    where += of == Of::rows ? in_tile("v0", of_tile(column()), sizes.column_tile)
                            : " and v0 = " + at_[column()];
    where +=
        of == Of::copy ? in_tile("r0", of_tile(row()), sizes.row_tile) : " and r0 = " + at_[row()];
    const std::string start = list(o) + (o.empty() ? "" : ", ");
    const isl::map slice(program::context(), "[" + list(parameters_) + "] -> { Step[" + start +
                                                 "r0, v0, " + list(sums) + "] -> Sums[" +
                                                 list(sums) + "] : " + where + " }");
    const isl::set inside = steps.apply(slice).coalesce();
    LoopText text;
    text.times = isl::union_map(
        isl::map(program::context(), "{ Sums[" + list(sums) + "] -> [" + list(sums) + "] }")
            .intersect_domain(inside));
    text.known = inside.params();
    for (const int d : c_.sums) text.names.push_back(at_[static_cast<std::size_t>(d)]);
    text.type = k_.type;
    text.write = [&](const Reached& reached, Lines& inner) {
      for (std::size_t d = 0; d < c_.sums.size(); ++d)
        at_[static_cast<std::size_t>(c_.sums[d])] = reached.coordinates[d];
      body(inner);
      for (const int d : c_.sums)
        at_[static_cast<std::size_t>(d)] = s_.iterators[static_cast<std::size_t>(d)];
    };
    write_loops(text, *lines_);
  }

  using Line = std::function<std::string(std::int64_t row, std::int64_t vector)>;
  void each(const Line& line) {
    for (std::int64_t r = 0; r < k_.block->sizes.rows; ++r) {
      std::string text;
      for (std::int64_t v = 0; v < vectors_; ++v) text += (v == 0 ? "" : " ") + line(r, v);
      lines_->add(text);
    }
  }

  static std::string sum(std::int64_t r, std::int64_t v) {
    return "sum" + number(r) + "_" + number(v);
  }

  static std::string plus(const std::string& base, std::int64_t n) {
    return n == 0 ? base : base + " + " + number(n);
  }

  std::vector<std::string> shifted(std::int64_t r, std::int64_t v) const {
    std::vector<std::string> at = at_;
    at[row()] = plus(at[row()], r);
    at[column()] = plus(at[column()], v * wide_);
    return at;
  }

  std::string element(std::int64_t r, std::int64_t v) const {
    return k_.text->access(c_.statement, the_write, shifted(r, v));
  }

  std::string vector_at(const std::string& element) const {
    return "*(const redblue_" + c_.element + " *)&" + element;
  }
  std::string lvalue_at(const std::string& element) const {
    return "*(redblue_" + c_.element + " *)&" + element;
  }

  // One step of the sums: operands along the columns in vectors, then every element.
  void step() {
    lines_->open("");
    for (const Contraction::Operand& o : c_.operands) {
      if (o.columns == Stride::none) continue;
      std::string line;
      for (std::int64_t v = 0; v < vectors_; ++v) {
        line += (v == 0 ? "" : " ") + ("const redblue_" + c_.element) + " " + loaded(o.read, v) +
                " = " + vector_at(operand(o.read, v)) + ";";
      }
      lines_->add(line);
    }
    each([&](std::int64_t r, std::int64_t v) {
      const auto replaced = [&](std::size_t read, const std::string& text) {
        if (read == the_write) return sum(r, v);
        for (const Contraction::Operand& o : c_.operands) {
          if (o.read != read) continue;
          return o.columns == Stride::none ? text : loaded(read, v);
        }
        return sum(r, v);  // the written element, read
      };
      std::optional<Part> factors;
      if (copied_ && k_.block->factors_ahead) factors = Part{*c_.factors, row_product(number(r))};
      return k_.text->at(c_.statement, shifted(r, v), replaced, factors);
    });
    lines_->close();
  }

  static std::string loaded(std::size_t read, std::int64_t v) {
    return "column" + std::to_string(read) + "_" + number(v);
  }

  std::string operand(std::size_t read, std::int64_t v) const {
    const auto& copies = k_.block->copies;
    const auto copy = std::find(copies.begin(), copies.end(), read);
    if (!copied_ || copy == copies.end()) return k_.text->access(c_.statement, read, shifted(0, v));
    return copy_name(k_, static_cast<std::size_t>(copy - copies.begin())) + "[" + sum_index() +
           "][" + number(v * wide_) + "]";
  }

  const Microkernel& k_;
  const Contraction& c_;
  const Statement& s_;
  Lines* lines_;
  std::int64_t wide_, vectors_;
  std::vector<std::string> at_;          // iterators, by their names or where the loops are
  std::vector<std::string> parameters_;  // what the loops inside depend on
  bool copied_ = false;
};

}  // namespace

std::map<std::string, std::string> declarations(const Microkernel& kernel) {
  std::map<std::string, std::string> result;
  if (kernel.block->copied.is_empty()) return result;
  const BlockSizes& sizes = kernel.block->sizes;
  if (kernel.block->factors_ahead) {
    const std::string name = BlockWriter::rows_name(kernel);
    result[name] = kernel.block->contraction.element + " " + name + "[" +
                   number((sizes.row_tile + sizes.rows - 1) / sizes.rows) + "][" +
                   number(sizes.sum_tile) + "][" + number(sizes.rows) +
                   "] __attribute__((aligned(64)));";
  }
  for (std::size_t o = 0; o < kernel.block->copies.size(); ++o) {
    const std::string name = BlockWriter::copy_name(kernel, o);
    result[name] = kernel.block->contraction.element + " " + name + "[" +
                   number(kernel.block->sizes.sum_tile) + "][" +
                   number(kernel.block->sizes.columns) + "] __attribute__((aligned(64)));";
  }
  return result;
}

void write_block(const Microkernel& kernel, const Reached& reached, Lines& lines) {
  BlockWriter(kernel, lines).block(reached);
}

void write_row_factors(const Microkernel& kernel, const Reached& reached, Lines& lines) {
  BlockWriter(kernel, lines).rows(reached);
}

void write_single(const Microkernel& kernel, const Reached& reached, Lines& lines) {
  BlockWriter(kernel, lines).single(reached);
}

void write_copy(const Microkernel& kernel, const Reached& reached, Lines& lines) {
  BlockWriter(kernel, lines).copy(reached);
}

}  // namespace redblue::schedule::codegen
