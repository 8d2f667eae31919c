// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/codegen/call_text.hpp"

#include <isl/aff.h>
#include <isl/map.h>
#include <isl/val.h>

#include <algorithm>
#include <map>

#include "schedule/blocks/block_maps.hpp"
#include "schedule/c_text.hpp"

namespace redblue::schedule::codegen {

using program::Statement;

namespace {

constexpr const char* operations[] = {"gemm", "syrk", "trmm", "trsm"};

class CallWriter {
 public:
  CallWriter(const program::Program& program, const StatementText& text, const Product& p,
             const Call& call, const std::vector<std::string>& tile)
      : text_(text),
        p_(p),
        s_(program.statements[p.statement]),
        call_(call),
        tile_(tile),
        rows_(unused("rows", program)),
        columns_(unused("columns", program)),
        sums_(unused("sums", program)) {}

  std::string arguments(const CallKind& kind) const {
    switch (kind.operation) {
      case Operation::gemm:
        return list({transposed(p_.left.transposed), transposed(p_.right.transposed), rows_,
                     columns_, sums_, scale(), left(row(), sum()), right(sum(), column()), "1.0",
                     written(row(), column())});
      case Operation::syrk:
        return list({triangle(kind.lower), transposed(p_.left.transposed), rows_, sums_, scale(),
                     left(row(), sum()), "1.0", written(row(), column())});
      default:
        return triangular(kind);
    }
  }

  // Sizes that the arguments name. A triangle spans the sums and, one further, rows or columns.
  std::string sizes(const CallKind& kind) const {
    const bool in_place = kind.operation == Operation::trmm || kind.operation == Operation::trsm;
    std::string text = "const int " + rows_ + " = " +
                       (in_place && kind.left ? spanned(kind) : size(first_row, last_row));
    if (kind.operation != Operation::syrk)
      text += ", " + columns_ + " = " +
              (in_place && !kind.left ? spanned(kind) : size(first_column, last_column));
    if (!in_place) text += ", " + sums_ + " = " + size(first_sum, last_sum);
    return text + ";";
  }

 private:
  enum Bound { first_row, last_row, first_column, last_column, first_sum, last_sum, outer };

  isl::pw_aff bound(int number) const {
    return isl::manage(isl_pw_multi_aff_get_pw_aff(call_.bounds.get(), number));
  }

  // As C, where the loops reach the tile.
  std::string text(const isl::pw_aff& value) const {
    std::vector<std::pair<std::string, std::string>> words;
    for (std::size_t d = 0; d < tile_.size(); ++d)
      words.emplace_back("redblue_" + std::to_string(d), in_parentheses(tile_[d]));
    const std::string all = tidy(renamed(with_words(expression(value, call_.tiles), words)));
    // A name or a number in the parentheses of an expression.
    const std::string inside = all.substr(1, all.size() - 2);
    return in_parentheses(inside) == inside ? inside : all;
  }

  std::string at(int number) const { return text(bound(number)); }
  std::string row() const { return at(first_row); }
  std::string column() const { return at(first_column); }
  std::string sum() const { return at(first_sum); }

  std::string size(Bound first, Bound last) const {
    isl_pw_aff* size = isl_pw_aff_sub(bound(last).release(), bound(first).release());
    return text(isl::manage(isl_pw_aff_coalesce(
        isl_pw_aff_add_constant_val(size, isl_val_one(program::context().get())))));
  }

  static bool sums_first(const CallKind& kind) { return kind.left == kind.lower; }

  // Where the triangle begins, and how large it is.
  std::string corner(const CallKind& kind) const {
    return sums_first(kind) ? at(first_sum) : at(kind.left ? first_row : first_column);
  }
  std::string spanned(const CallKind& kind) const {
    if (sums_first(kind)) return size(first_sum, kind.left ? last_row : last_column);
    return size(kind.left ? first_row : first_column, last_sum);
  }

  // A name that the program has not.
  static std::string unused(const std::string& name, const program::Program& program) {
    std::string result = name;
    for (int n = 1; has_word(program.region.text, result); ++n)
      result = name + "_" + std::to_string(n);
    return result;
  }

  static std::string transposed(bool is) { return is ? "CblasTrans" : "CblasNoTrans"; }
  static std::string triangle(bool lower) { return lower ? "CblasLower" : "CblasUpper"; }

  std::vector<std::string> instance(const std::string& r, const std::string& v,
                                    const std::string& k) const {
    std::vector<std::string> result(s_.iterators.size());
    const auto put = [&result](int d, const std::string& x) {
      result[static_cast<std::size_t>(d)] = x;
    };
    put(p_.rows, r);
    put(p_.columns, v);
    put(p_.sum, k);
    for (std::size_t o = 0; o < p_.outer.size(); ++o)
      put(p_.outer[o], at(outer + static_cast<int>(o)));
    return result;
  }

  // "&A[i][k], N": the first element, and what lies between two rows.
  std::string matrix(std::size_t read, const std::string& array, const MatrixAccess& m,
                     const std::vector<std::string>& first) const {
    std::string rows = array;
    for (int d = 0; d <= m.leading; ++d) rows += "[0]";
    std::string element = rows;
    const auto& access = read == the_write ? s_.writes.front() : s_.reads[read];
    const auto dimensions = static_cast<int>(isl_map_dim(access.elements.get(), isl_dim_out));
    for (int d = m.leading + 1; d < dimensions; ++d) element += "[0]";
    return "&" + text_.access(p_.statement, read, first) + ", sizeof(" + rows + ") / sizeof(" +
           element + ")";
  }

  std::string left(const std::string& r, const std::string& k) const {
    return matrix(p_.left.read, s_.reads[p_.left.read].array, p_.left, instance(r, column(), k));
  }
  std::string right(const std::string& k, const std::string& v) const {
    return matrix(p_.right.read, s_.reads[p_.right.read].array, p_.right, instance(row(), v, k));
  }
  std::string written(const std::string& r, const std::string& v) const {
    return matrix(the_write, s_.writes.front().array, p_.written, instance(r, v, sum()));
  }

  std::string triangular(const CallKind& kind) const {
    const bool is_transposed = kind.left ? p_.left.transposed : p_.right.transposed;
    const std::string begin = corner(kind);
    return list({kind.left ? "CblasLeft" : "CblasRight", triangle(kind.lower != is_transposed),
                 transposed(is_transposed), kind.unit ? "CblasUnit" : "CblasNonUnit", rows_,
                 columns_, "1.0", kind.left ? left(begin, begin) : right(begin, begin),
                 kind.left ? written(begin, column()) : written(row(), begin)});
  }

  // With 1.0 in front integers are multiplied as numbers of the matrices' type.
  std::string scale() const {
    std::string product = p_.minus ? "-1.0" : "1.0";
    const std::vector<std::string> first = instance(row(), column(), sum());
    for (const program::Span& factor : p_.scale)
      product += " * " + text_.part(p_.statement, factor, first);
    return product;
  }

  const StatementText& text_;
  const Product& p_;
  const Statement& s_;
  const Call& call_;
  const std::vector<std::string>& tile_;
  std::string rows_, columns_, sums_;
};

// In lines of about a hundred characters.
void add_wrapped(std::string text, Lines& lines) {
  constexpr std::size_t longest = 96;
  std::string start;
  while (text.size() > longest) {
    const std::size_t comma = text.rfind(", ", longest);
    if (comma == std::string::npos) break;
    lines.add(start + text.substr(0, comma + 1));
    text.erase(0, comma + 2);
    start = "    ";
  }
  lines.add(start + text);
}

}  // namespace

std::string routine(const Product& product, const CallKind& kind) {
  return (product.element == "float" ? "s" : "d") +
         std::string(operations[static_cast<std::size_t>(kind.operation)]);
}

std::vector<std::string> described(const program::Program& program, const Called& called) {
  const Product& p = called.product;
  const Statement& s = program.statements[p.statement];
  std::vector<std::string> names, loops;
  std::map<std::string, std::vector<std::string>> sides;
  for (const int d : {p.rows, p.columns, p.sum})
    loops.push_back(s.iterators[static_cast<std::size_t>(d)]);
  for (const Call& call : called.calls) {
    const std::string name = routine(p, call.kind);
    std::string side;
    for (const std::int64_t size : call.sizes)
      side += (side.empty() ? "" : " x ") + (size == 0 ? "all" : std::to_string(size));
    if (sides.count(name) == 0) names.push_back(name);
    std::vector<std::string>& all = sides[name];
    if (side != "all x all x all" && std::count(all.begin(), all.end(), side) == 0)
      all.push_back(side);
  }
  std::vector<std::string> result;
  for (const std::string& name : names)
    result.push_back(s.name + ": " + name +
                     (sides[name].empty() ? "" : " of " + list(sides[name])) + " (" + list(loops) +
                     ")");
  return result;
}

void write_call(const program::Program& program, const StatementText& text, const Called& called,
                const Call& call, const Reached& reached, Lines& lines) {
  const CallWriter writer(program, text, called.product, call, reached.coordinates);
  lines.open("");
  add_wrapped(writer.sizes(call.kind), lines);
  add_wrapped("cblas_" + routine(called.product, call.kind) + "(CblasRowMajor, " +
                  writer.arguments(call.kind) + ");",
              lines);
  lines.close();
}

}  // namespace redblue::schedule::codegen
