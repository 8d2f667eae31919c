// SPDX-License-Identifier: BSD-3-Clause
#include "sweeps/generator.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace redblue::test {

namespace {

using Point = std::array<int, 3>;

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : state_(seed * 2654435761u + 88172645463325252u) {}

  RandomStencil program() {
    dimensions_ = 1 + below(3);
    type_ = below(3) == 0 ? "float" : "double";
    const int set_arrays = 1 + below(3), read_arrays = set_arrays == 1 ? 1 : below(2);
    for (int a = 0; a < set_arrays; ++a) set_.push_back(std::string(1, static_cast<char>('A' + a)));
    arrays_ = set_;
    for (int a = 0; a < read_arrays; ++a) arrays_.push_back(a == 0 ? "R" : "Q");
    by_line_ = dimensions_ > 1 && below(3) == 0;
    by_time_ = below(3) == 0;
    if (set_arrays == 1) arrays_.push_back("B"), set_.push_back("B");  // to read neighbours of
    std::string sweeps;
    const int count = 1 + below(4);
    for (int s = 0; s < count; ++s) sweeps += below(6) == 0 ? edge() : sweep();
    return {head() + sweeps + "  }\n#pragma endscop\n}\n", sizes()};
  }

 private:
  int below(int n) {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return static_cast<int>((state_ >> 20) % static_cast<std::uint64_t>(n));
  }

  static std::string size(int k) { return "N" + std::to_string(k); }

  std::string head() const {
    std::string text = "/* A random stencil program. */\nvoid f(int T";
    for (int k = 0; k < dimensions_; ++k) text += ", int " + size(k);
    for (const std::string& array : arrays_) {
      text += ", " + type_ + " " + array;
      for (int k = 0; k < dimensions_; ++k) text += "[" + size(k) + "]";
    }
    if (by_line_) text += ", " + type_ + " line[" + size(dimensions_ - 1) + "]";
    if (by_time_) text += ", " + type_ + " at_time[T]";
    return text + ", " + type_ + " w) {\n#pragma scop\n  for (int t = 0; t < T; t++) {\n";
  }

  std::string sizes() {
    std::string text = "T=" + std::to_string(2 + below(6));
    const std::array<int, 3> most = {60, 24, 12};
    for (int k = 0; k < dimensions_; ++k) {
      text += "," + size(k) + "=" +
              std::to_string(9 + below(most[static_cast<std::size_t>(dimensions_ - 1)]));
    }
    return text;
  }

  std::string element(const std::string& array, const Point& at,
                      const std::array<std::string, 3>& names) const {
    std::string text = array;
    for (int k = 0; k < dimensions_; ++k) {
      const int x = at[static_cast<std::size_t>(k)];
      text += "[" + names[static_cast<std::size_t>(k)] +
              (x == 0 ? "" : (x > 0 ? " + " : " - ") + std::to_string(x > 0 ? x : -x)) + "]";
    }
    return text;
  }

  Point near(int radius) {
    Point p = {0, 0, 0};
    const int along = below(dimensions_ + 1);  // this one only, or all
    for (int k = 0; k < dimensions_; ++k) {
      if (along == dimensions_ || along == k)
        p[static_cast<std::size_t>(k)] = below(2 * radius + 1) - radius;
    }
    return p;
  }

  // A sum of elements around a point whose weights are together below 1.
  std::string value(const std::string& target, const std::array<std::string, 3>& names, Point& low,
                    Point& high) {
    const int terms = 2 + below(5), radius = 1 + below(3);
    std::string text;
    for (int r = 0; r < terms; ++r) {
      const std::string& array =
          arrays_[static_cast<std::size_t>(below(static_cast<int>(arrays_.size())))];
      const Point at = array == target ? Point{0, 0, 0} : near(radius);
      for (std::size_t k = 0; k < 3; ++k) {
        low[k] = std::max(low[k], -at[k]);
        high[k] = std::max(high[k], at[k]);
      }
      const std::string one = element(array, at, names);
      text += (r == 0 ? "" : " + ") + std::string("0.") + std::to_string(1 + below(9)) + " * ";
      const int kind = below(8);
      if (kind == 0)
        text += "(" + one + " > 0.9 ? " + one + " : w)";
      else if (kind == 1)
        text += "(" + names[0] + " > 7 ? w : " + one + ")";
      else
        text += one;
    }
    if (by_line_ && below(2) == 0)
      text += " + line[" + names[static_cast<std::size_t>(dimensions_ - 1)] + "]";
    if (by_time_ && below(2) == 0) text += " - at_time[t]";
    if (below(4) == 0) text += " + 0.01 * t * " + names[0];
    return "(" + text + ") / " + std::to_string(terms + 1);
  }

  std::string sweep() {
    const std::string target = set_[static_cast<std::size_t>(below(static_cast<int>(set_.size())))];
    std::array<std::string, 3> names = {"i", "j", "k"};
    Point low = {0, 0, 0}, high = {0, 0, 0};
    const bool updates = below(4) == 0;
    std::string body =
        element(target, {0, 0, 0}, names) +
        (updates ? " = 0.5 * " + element(target, {0, 0, 0}, names) + " + 0.4 * " : " = ") +
        value(target, names, low, high) + ";";
    if (below(5) == 0) {  // another one, which reads this one's element only
      const std::string other =
          set_[static_cast<std::size_t>(below(static_cast<int>(set_.size())))];
      if (other != target && body.find(other + "[") == std::string::npos) {
        body = "{ " + body + " " + element(other, {0, 0, 0}, names) + " = 0.5 * " +
               element(target, {0, 0, 0}, names) + " + 0.25 * w; }";
      }
    }
    std::vector<int> order;
    for (int k = 0; k < dimensions_; ++k) order.insert(order.begin() + below(k + 1), k);
    if (below(3) != 0) std::sort(order.begin(), order.end());
    std::string text, indent = "    ";
    for (const int k : order) {
      const auto d = static_cast<std::size_t>(k);
      const std::string first = std::to_string(low[d] + below(3));
      const std::string last = size(k) + " - " + std::to_string(high[d] + below(3));
      const std::string& x = names[d];
      text += indent;
      if (below(5) == 0)
        text += "for (int " + x + " = " + last + " - 1; " + x + " >= " + first + "; " + x + "--)\n";
      else
        text += "for (int " + x + " = " + first + "; " + x + " < " + last + "; " + x + "++)\n";
      indent += "  ";
    }
    return text + indent + body + "\n";
  }

  // One side of the mesh.
  std::string edge() {
    const std::string& target =
        set_[static_cast<std::size_t>(below(static_cast<int>(set_.size())))];
    std::array<std::string, 3> names = {"i", "j", "k"};
    const int side = below(dimensions_);
    names[static_cast<std::size_t>(side)] = below(2) == 0 ? "0" : size(side) + " - 1";
    std::string text, indent = "    ";
    for (int k = 0; k < dimensions_; ++k) {
      if (k == side) continue;
      const std::string& x = names[static_cast<std::size_t>(k)];
      text += indent + "for (int " + x + " = 0; " + x + " < " + size(k) + "; " + x + "++)\n";
      indent += "  ";
    }
    return text + indent + element(target, {0, 0, 0}, names) + " = " +
           (by_time_ ? "at_time[t]" : "w / (t + 1)") + ";\n";
  }

  std::uint64_t state_;
  int dimensions_ = 1;
  std::string type_;
  std::vector<std::string> set_, arrays_;
  bool by_line_ = false, by_time_ = false;
};

}  // namespace

RandomStencil random_stencil(std::uint64_t seed) {
  return Generator(seed).program();
}

}  // namespace redblue::test
