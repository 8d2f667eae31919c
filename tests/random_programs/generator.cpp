// SPDX-License-Identifier: BSD-3-Clause
#include "random_programs/generator.hpp"

#include <vector>

namespace redblue::test {

namespace {

// SplitMix64 (Steele, Lea, Flood): the same numbers everywhere.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed) {}

  int below(int sides) {
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return static_cast<int>((z ^ (z >> 31U)) % static_cast<std::uint64_t>(sides));
  }
  bool one_in(int n) { return below(n) == 0; }
  std::string among(const std::vector<std::string>& all) {
    return all[static_cast<std::size_t>(below(static_cast<int>(all.size())))];
  }

 private:
  std::uint64_t state_;
};

struct Array {
  std::string name;
  int rank = 1;
  bool own = false;  // dies with the function
};

class Writer {
 public:
  explicit Writer(std::uint64_t seed) : dice_(seed) {
    for (const char* name : {"A", "B", "C"})
      arrays_.push_back({name, 1 + dice_.below(2), dice_.one_in(4)});
    if (dice_.one_in(4)) arrays_.push_back({"s", 0, !dice_.one_in(3)});
    statements_ = 1 + dice_.below(3);
  }

  std::string text() {
    while (statements_ > 0) nest({}, 1 + dice_.below(4));
    std::string result =
        "#define min(a, b) ((a) < (b) ? (a) : (b))\n#define max(a, b) ((a) > (b) ? (a) : (b))\n";
    std::string parameters = "int N, int M";
    std::string own;
    for (const Array& a : arrays_) {
      const std::string declared =
          "double " + a.name + (a.rank > 0 ? "[99]" : "") + (a.rank > 1 ? "[99]" : "");
      if (a.own) {
        own += "  " + declared + ";\n";
      } else if (a.rank == 0) {
        result += declared + ";\n";
      } else {
        parameters += ", " + declared;
      }
    }
    const std::string last = after();
    const std::string type = last.starts_with("  return") ? "double" : "void";
    const bool region = !last.starts_with("  return") || dice_.one_in(2);
    result += type + " f(" + parameters + ") {\n" + own;
    result += region ? "#pragma scop\n" + body_ + "#pragma endscop\n" : body_;
    return result + last + "}\n";
  }

 private:
  using Loops = std::vector<std::string>;

  void line(std::size_t depth, const std::string& text) {
    body_ += std::string(2 * depth + 2, ' ') + text + "\n";
  }

  // What the function does after its loops.
  std::string after() {
    for (const Array& a : arrays_) {
      if (!a.own || !dice_.one_in(3)) continue;
      if (a.rank == 0) return "  return s;\n";
      return "  return " + a.name + (a.rank == 1 ? "[1]" : "[1][N - 1]") + ";\n";
    }
    return "";
  }

  // A loop, a guard or a statement; `deeper` more loops around what stands inside.
  void nest(const Loops& loops, int deeper) {
    if (deeper == 0 || loops.size() == 4) {
      statement(loops);
      return;
    }
    const std::string v(1, static_cast<char>('i' + loops.size()));
    Loops inside = loops;
    inside.push_back(v);
    line(loops.size(), "for (" + loop(loops, v) + ") {");
    if (statements_ > 1 && dice_.one_in(4)) statement(inside);
    const bool guarded = dice_.one_in(5);
    if (guarded) line(inside.size(), "if (" + guard(inside) + ") {");
    nest(inside, deeper - 1);
    if (guarded) line(inside.size(), "}");
    if (statements_ > 0 && dice_.one_in(3)) nest(inside, dice_.below(deeper));
    line(loops.size(), "}");
  }

  std::string loop(const Loops& loops, const std::string& v) {
    std::string low = dice_.among({"0", "0", "0", "1", "1", "2"});
    std::string high = dice_.among({"N", "N", "N", "M", "M", "3", "4", "N - 1"});
    if (!loops.empty() && dice_.one_in(3)) {
      const std::string outer = dice_.among(loops);
      switch (dice_.below(6)) {
        case 0:
          low = outer;
          break;
        case 1:
          low = outer + " + 1";
          break;
        case 2:
          high = outer;
          break;
        case 3:
          high = outer + " + 1";
          break;
        case 4:
          low = "max(" + low + ", " + outer + " - 1)";
          break;
        default:
          high = "min(" + high + ", " + outer + " + 2)";
      }
    }
    switch (dice_.below(8)) {
      case 0:
        return "int " + v + " = " + low + "; " + v + " < " + high + "; " + v + " += 2";
      case 1:
        return "int " + v + " = " + high + " - 1; " + v + " >= " + low + "; " + v + "--";
      default:
        return "int " + v + " = " + low + "; " + v + " < " + high + "; " + v + "++";
    }
  }

  std::string guard(const Loops& loops) {
    const std::string v = dice_.among(loops);
    const std::string w = dice_.among(loops);
    switch (dice_.below(6)) {
      case 0:
        return v + " <= " + w + " + 1";
      case 1:
        return v + " + " + w + " < N";
      case 2:
        return v + " % 2 == 0";
      case 3:
        return v + " != " + w;
      case 4:
        return v + " > 0 || " + w + " < M - 1";
      default:
        return v + " >= 1 && " + w + " < N - 1";
    }
  }

  std::string subscript(const Loops& loops) {
    if (loops.empty() || dice_.one_in(12)) return dice_.among({"0", "1", "N", "M - 1"});
    const std::string v = dice_.among(loops);
    switch (dice_.below(12)) {
      case 0:
      case 1:
        return v + " + 1";
      case 2:
        return v + " - 1";
      case 3:
        return v + " + " + dice_.among(loops);
      case 4:
        return "N - 1 - " + v;
      case 5:
        return dice_.one_in(2) ? "2 * " + v : "2 * " + v + " + " + dice_.among(loops);
      default:
        return v;
    }
  }

  std::string element(const Loops& loops, const Array& a) {
    std::string text = a.name;
    for (int d = 0; d < a.rank; ++d) text += "[" + subscript(loops) + "]";
    return text;
  }

  const Array& array() {
    return arrays_[static_cast<std::size_t>(dice_.below(static_cast<int>(arrays_.size())))];
  }

  // The element as written, or a neighbour: what stencils read.
  std::string near(const std::string& written) {
    const auto end = written.find(']');
    if (end == std::string::npos || dice_.one_in(3)) return written;
    return written.substr(0, end) + dice_.among({" - 1", " + 1", " - 2"}) + written.substr(end);
  }

  void statement(const Loops& loops) {
    --statements_;
    const std::string target = element(loops, array());
    std::string value;
    for (int reads = dice_.below(4); reads > 0; --reads) {
      std::string read = dice_.one_in(3) ? near(target) : element(loops, array());
      if (!loops.empty() && dice_.one_in(10)) {
        const std::string other = element(loops, array());
        const std::string test = dice_.one_in(2) ? guard(loops) : other + " > 0";
        read = "(" + test + " ? " + read + " : " + other + ")";
      }
      value += (value.empty() ? "" : dice_.among({" + ", " * "})) + read;
    }
    if (value.empty()) value = "1";
    line(loops.size(), target + dice_.among({" = ", " = ", " += "}) + value + ";");
  }

  Dice dice_;
  std::vector<Array> arrays_;
  int statements_ = 1;
  std::string body_;
};

}  // namespace

std::string random_program(std::uint64_t seed) {
  return Writer(seed).text();
}

}  // namespace redblue::test
