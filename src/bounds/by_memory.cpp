// Which bound is the strongest for which size of the fast memory.
#include <algorithm>
#include <cctype>
#include <utility>

#include "redblue/analysis.hpp"
#include "redblue/error.hpp"

namespace redblue {

namespace {

class Search {
 public:
  Search(const BoundedProgram& program, std::map<std::string, std::int64_t> sizes)
      : program_(program), sizes_(std::move(sizes)) {}

  // One range for each memory at which bounds were compared; those alike are joined later.
  std::vector<MemoryRange> run() {
    constexpr std::int64_t least = 8, most = std::int64_t{1} << 40;
    std::vector<MemoryRange> found;
    append(found, {least, strongest(least)});
    for (std::int64_t s = 4 * least; s < most && depends_on_memory(found.back().bound); s *= 4) {
      const Point last = {s, strongest(s)};
      divide_at_crossing({found_last_, found.back().bound}, last, found);
      append(found, last);
    }
    finish(found);
    return found;
  }

 private:
  struct Point {
    std::int64_t s;
    LowerBound bound;
  };

  LowerBound strongest(std::int64_t s) {
    sizes_["S"] = s;
    const BoundReport report = program_.at(sizes_);
    return report.bounds[report.best];
  }

  static bool same(const LowerBound& a, const LowerBound& b) {
    return a.method == b.method && a.statement == b.statement && a.expression == b.expression;
  }

  // Formulas name parameters and S; a parameter may have an S in its name.
  static bool depends_on_memory(const LowerBound& bound) {
    const std::string& text = bound.expression;
    const auto letter = [&text](std::size_t i) {
      return i < text.size() &&
             (std::isalnum(static_cast<unsigned char>(text[i])) != 0 || text[i] == '_');
    };
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == 'S' && !letter(i + 1) && (i == 0 || !letter(i - 1))) return true;
    }
    return false;
  }

  double formula(const LowerBound& bound, std::int64_t s) const {
    std::map<std::string, double> values = {{"S", static_cast<double>(s)}};
    for (const auto& [name, size] : sizes_) {
      if (name != "S") values[name] = static_cast<double>(size);
    }
    return evaluate_formula(bound.expression, values);
  }

  // Where the formulas of two bounds cross: close to where their values do.
  std::int64_t crossing(const Point& low, const Point& high) const {
    std::int64_t first = low.s, last = high.s;
    while (last - first > 1) {
      const std::int64_t s = first + (last - first) / 2;
      (formula(low.bound, s) >= formula(high.bound, s) ? first : last) = s;
    }
    return first;
  }

  // Where the next look is: half way, or close to one end, `step` from it.
  struct Look {
    enum class Near { neither, low, high } near = Near::neither;
    std::int64_t step = 1;
  };

  // Appends what lies between two memories with different bounds.
  void divide(const Point& low, const Point& high, const Look& look,
              std::vector<MemoryRange>& found) {
    if (same(low.bound, high.bound) || high.s - low.s <= 1) return;
    std::int64_t s = low.s + (high.s - low.s) / 2;
    if (look.near == Look::Near::low) s = std::min(s, low.s + look.step);
    if (look.near == Look::Near::high) s = std::max(s, high.s - look.step);
    const Point middle = {s, strongest(s)};
    const Look further = {look.near, 4 * look.step};
    divide(low, middle, look.near == Look::Near::high ? further : Look{}, found);
    append(found, middle);
    divide(middle, high, look.near == Look::Near::low ? further : Look{}, found);
  }

  // Likewise, from where the formulas cross.
  void divide_at_crossing(const Point& low, const Point& high, std::vector<MemoryRange>& found) {
    if (same(low.bound, high.bound)) return;
    const std::int64_t s = std::clamp(crossing(low, high), low.s + 1, high.s - 1);
    const Point middle = {s, strongest(s)};
    divide(low, middle, {Look::Near::high}, found);
    append(found, middle);
    divide(middle, high, {Look::Near::low}, found);
  }

  void append(std::vector<MemoryRange>& found, const Point& point) {
    found_last_ = point.s;
    const double value = point.bound.value.value_or(0);
    if (!found.empty() && same(found.back().bound, point.bound)) {
      found.back().to = point.s;
      found.back().value_to = value;
      return;
    }
    found.push_back({point.s, point.s, point.bound, value});
  }

  // The ranges were appended as far as they were looked at; the last holds for all larger ones.
  static void finish(std::vector<MemoryRange>& found) {
    for (std::size_t i = 0; i + 1 < found.size(); ++i) found[i].to = found[i + 1].from - 1;
    if (!depends_on_memory(found.back().bound)) found.back().to.reset();
  }

  const BoundedProgram& program_;
  std::map<std::string, std::int64_t> sizes_;
  std::int64_t found_last_ = 0;
};

}  // namespace

std::vector<MemoryRange> bounds_by_memory(const BoundedProgram& program,
                                          std::map<std::string, std::int64_t> sizes) {
  sizes.erase("S");
  for (const std::string& p : program.parameters()) {
    if (sizes.count(p) == 0)
      throw Error("bounds by fast memory", p + " has no value", "give all sizes but S");
  }
  return Search(program, std::move(sizes)).run();
}

}  // namespace redblue
