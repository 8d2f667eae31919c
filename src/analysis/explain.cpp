// SPDX-License-Identifier: BSD-3-Clause
// Bounds as prose.
#include <algorithm>

#include "analysis/prose.hpp"
#include "bounds/bound.hpp"
#include "bounds/footprint/footprint_program.hpp"
#include "redblue/analysis.hpp"
#include "redblue/error.hpp"
#include "symbolic/expr.hpp"

namespace redblue {

namespace {

std::string size_of(const std::string& set) {  // of a set in MathML
  return "<mrow><mo>|</mo>" + set + "<mo>|</mo></mrow>";
}

Math size_of_h() {
  return {"|H|", "|H|", size_of("<mi>H</mi>")};
}

const Math space = {" ", " ", "<mo lspace=\"0\" rspace=\"0.17em\">&#x2062;</mo>"};

Math power(const Math& base, const Formula& exponent) {
  return {base.text + "^(" + exponent.text() + ")", base.latex + "^{" + exponent.latex() + "}",
          "<msup>" + base.mathml + exponent.mathml() + "</msup>"};
}

// What a set E borders on, with the steps K of its difference body.
Math boundary() {
  const std::string e = size_of("<mi>E</mi>");
  const std::string growth = "<mrow><mo>(</mo><mn>1</mn><mo>+</mo><mi>w</mi><msup>" + e +
                             math("-1/n").mathml + "</msup><mo>)</mo></mrow>";
  return {"|E| (1 + w / |E|^(1/n))^(n/k)", "|E|\\,(1 + w\\,|E|^{-1/n})^{n/k}",
          e + "<msup>" + growth + math("n/k").mathml + "</msup>"};
}

class Writer {
 public:
  Writer(const BoundReport& report, const LowerBound& bound, Markup markup)
      : report_(report), bound_(bound), markup_(markup), out_(markup) {}

  std::string text() {
    out_.title("How little " + report_.program + " can move");
    out_.say(
        "S words of fast memory; Q counts the words loaded and stored. Every statement instance is "
        "computed, also where nobody needs its value.");
    program();
    if (bound_.method == "projection" && !bound_.projections.empty()) {
      segments();
      needs();
      size();
      best();
    } else if (bound_.method == "wavefront") {
      wavefront();
    } else if (bound_.method == "hourglass") {
      hourglass();
      best();
    } else if (bound_.method == "pairs") {
      pairs();
      best();
    } else if (bound_.method == "table") {
      table();
      best();
    } else if (bound_.method == "isoperimetry") {
      borders();
      best();
    } else if (bound_.method == "crossing chains") {
      crossing_chains();
      best();
    } else if (bound_.method == "compulsory") {
      out_.heading("The argument");
      out_.say(
          "Whatever the schedule, an input that is read is loaded once at least, and an output "
          "is stored once at least.");
    } else {
      out_.heading("The argument");
      out_.say("Bounds of " + bound_.statement +
               ", which share no vertex, add up; each is derived as "
               "redblue explain does for its statement alone.");
    }
    result();
    if (markup_ != Markup::html) conditions();
    return out_.text();
  }

 private:
  void program() {
    out_.heading("The program");
    for (const StatementInfo& s : report_.statements) {
      out_.item(s.name + (s.line > 0 ? " (line " + std::to_string(s.line) + ")" : "") + ": " +
                out_.code(s.text) + ", " + out_.formula(s.count) + " times");
    }
    out_.end_of_list();
  }

  void segments() {
    out_.heading("The argument");
    out_.say(
        "Cut any schedule into segments of X - S loads, the first of which may have fewer. A "
        "segment begins with at most S values in fast memory, the first with none, and loads at "
        "most X - S "
        "more. So of whatever set H of instances of " +
        bound_.statement + " it computes, at most X operands come from outside H.");
  }

  Math projection(const LowerBound::Projection& p) const {
    std::string loops, marked;
    for (const std::string& loop : p.loops) {
      loops += (loops.empty() ? "" : ",") + loop;
      marked += std::string(marked.empty() ? "" : "<mo>,</mo>") + "<mi>" + escaped(loop) + "</mi>";
    }
    return {"|H on " + loops + "|", "|\\phi_{" + loops + "}(H)|",
            size_of("<msub><mi>&#x3C6;</mi><mrow>" + marked +
                    "</mrow></msub><mo>(</mo><mi>H</mi><mo>)</mo>")};
  }

  void needs() {
    out_.heading("What H needs");
    Math sum;
    for (const LowerBound::Projection& p : bound_.projections) {
      std::string loops;
      for (const std::string& loop : p.loops) loops += (loops.empty() ? "" : ", ") + loop;
      out_.item(out_.words(p.of) + ": one value for every (" + loops + ") in H" +
                (p.weight == "1"
                     ? ""
                     : ", counted " + p.weight.text() + " times as others may coincide with it"));
      if (!sum.text.empty()) sum += {" + ", " + ", "<mo>+</mo>"};
      if (p.weight != "1") (sum += math(p.weight)) += space;
      sum += projection(p);
    }
    out_.end_of_list();
    out_.display(sum, "<=", math("X"));
  }

  void size() {
    out_.heading("How large H can be");
    Math product;
    for (const LowerBound::Projection& p : bound_.projections) {
      if (p.exponent == "0") continue;
      if (!product.text.empty()) product += space;
      product += p.exponent == "1" ? projection(p) : power(projection(p), p.exponent);
    }
    out_.say(
        "A discrete Hoelder-Brascamp-Lieb inequality holds, as the exponents of the projections "
        "that show a loop add up to 1 at least, for every loop not cut into slices" +
        (bound_.factor.empty() ? std::string(":")
                               : "; with a factor by " + bound_.factor_from + ":"));
    Math most = bound_.factor.empty() ? Math() : math(bound_.factor);
    if (!bound_.factor.empty()) most += space;
    out_.display(size_of_h(), "<=", most += product);
    out_.say(
        "Under the constraint above the product is largest where every projection has the share of "
        "X "
        "that its exponent is of all exponents:");
    out_.display({"chi(X)", "\\chi(X)", "<mi>&#x3C7;</mi><mo>(</mo><mi>X</mi><mo>)</mo>"}, "=",
                 math(bound_.largest));
  }

  void best() {
    out_.heading("The best X");
    if (!bound_.segment.empty()) {
      out_.say("Vertices per transfer, chi(X) / (X - S), are fewest at X_0 = " +
               out_.formula(bound_.segment) + ":");
    } else {
      out_.say("Vertices per transfer, chi(X) / (X - S), fall as X grows, to");
    }
    out_.display({"rho", "\\rho", "<mi>&#x3C1;</mi>"}, "=", math(bound_.intensity));
    std::string tiles;
    for (const auto& [loop, size] : bound_.tiles)
      tiles += (tiles.empty() ? "" : ", ") + loop + " = " + out_.formula(size);
    if (!tiles.empty()) out_.say("The inequality is met by boxes of these sides: " + tiles + ".");
  }

  // What holds where segments are cut by loads and stores.
  void in_and_out() {
    out_.heading("The argument");
    out_.say(
        "Each value is computed once. Cut any schedule into segments of X - S loads and stores. A "
        "segment finds at most S values in fast memory, leaves at most S there, and loads or "
        "stores X - S. "
        "So of whatever set H of instances of " +
        bound_.statement +
        " it computes, the values from outside that H reads and those of H still needed when it "
        "ends, together, are");
    const std::string in = size_of("<mi>In</mi><mo>(</mo><mi>H</mi><mo>)</mo>");
    const std::string out = size_of("<mi>Out</mi><mo>(</mo><mi>H</mi><mo>)</mo>");
    const std::string both = "|In(H)| + |Out(H)|";
    out_.display({both, both, in + "<mo>+</mo>" + out},
                 "<=", {"S + X", "S + X", math("S + X").mathml});
  }

  void crossing_chains() {
    in_and_out();
    out_.say(
        "Two statements go through the same loops. Each hands on a value in a direction of its "
        "own, both read both, and both read values that do not change along a third direction. A "
        "line along one of the first two directions that H touches brings a value from outside, "
        "and, where its own statement is computed on it, leaves one; a line along the third one "
        "brings the values that are the same there. By Loomis and Whitney H is at most");
    out_.display(size_of_h(), "<=", math(bound_.largest));
  }

  void borders() {
    in_and_out();
    out_.say(
        "Every instance reads those a fixed set of steps before it. So In(H) is what these steps "
        "reach from H and H does not hold, Out(H) what they reach H from: a set of any shape has a "
        "boundary on both sides that grows with it, least for dilates of the steps' difference "
        "body. "
        "Where H lies in the loops' space does not matter.");
    out_.heading("How large H can be");
    out_.say(
        "Let D0 be the steps and 0, K = D0 - D0, E the part of H whose readers are all in H. The "
        "boundary holds |E + K| - |E| values at least, and for every k, with w^n cells in the sum "
        "of k "
        "bodies "
        "K (Pluennecke's inequality, then Brunn-Minkowski on unit cells),");
    out_.display({"|E + K|", "|E+K|", size_of("<mi>E</mi><mo>+</mo><mi>K</mi>")}, ">=", boundary());
    if (!on_staggered_grid()) return;
    out_.say(
        "The values between the places are carried from step to step, too, and the boundary holds "
        "some of them at either end of each line along that step: with I a segment of these lines, "
        "(|E + K| - |E|) + (|E + I| - |E|) values at least. That is twice |E| (1 + w / "
        "|E|^(1/n))^(n/k) - |E|, with k summands of which each is K or I, and w the mean over all "
        "ways to take them (docs/methods/staggered.md).");
  }

  // As the bound's conditions say.
  bool on_staggered_grid() const {
    return std::any_of(bound_.ledger.begin(), bound_.ledger.end(), [](const Condition& c) {
      return c.condition.find("lie between its places") != std::string::npos;
    });
  }

  void hourglass() {
    segments();
    out_.say(
        "Each value is computed once, and each instance needs, through a reduction and its "
        "broadcast, all instances along a loop one outer step before. Whatever a segment computes "
        "between the first and the last step of a chain is whole along that loop, and whole slices "
        "need as many values per point as the loop is long; first and last steps are two on each "
        "chain. With m the length of that loop, a set of X values is at most");
    out_.display(size_of_h(), "<=", math(bound_.largest));
  }

  void pairs() {
    segments();
    out_.say(
        "An instance has two positions, its row and its place: those of the elements it reads. "
        "Along "
        "a chain the row stands still and the places follow one another, so H consists of runs of "
        "consecutive instances, each of which needs one value from outside. Runs whose places "
        "overlap form a block, and only near the diagonal are a block's rows among its places. "
        "Instances near it are left out; of the others");
    out_.display(size_of_h(), "<=", math(bound_.largest));
  }

  void table() {
    segments();
    out_.say(
        "Each value is computed once. " + bound_.statement +
        " fills a table from pairs of its own values, [w, x] and [x, y] for [w, y]. Let H use a of "
        "them on c of the table's chains, and finish o of these. What is finished has finished all "
        "within it. So left and right operands in common are worth no more than different ones "
        "but on the o chains, and for every e > 0");
    out_.display(size_of_h(), "<=",
                 {"a/2 sqrt((1 + e) (c + (2/e - 1) o))",
                  "\\tfrac{a}{2}\\sqrt{(1+e)\\,(c+(\\tfrac{2}{e}-1)\\,o)}",
                  math("a/2").mathml + math("sqrt((1 + e)*(c + (2/e - 1)*o))").mathml});
    out_.say("Every chain is finished once, in one segment.");
  }

  void wavefront() {
    out_.heading("The argument");
    out_.say(
        "Each value is computed once. When the last vertex of a chain of " + bound_.statement +
        " is computed, values it was made from are still needed by vertices that come after it. "
        "They are alive at that moment; fast memory holds S of them, all others have been stored "
        "and are loaded again. Counted slice by slice, no value twice:");
    counting();
  }

  // What the bound is made of, a line each.
  void counting() {
    for (const auto& [what, number] : bound_.counted) out_.item(what + ": " + out_.formula(number));
    if (!bound_.counted.empty()) out_.end_of_list();
  }

  void result() {
    out_.heading("The bound");
    if (bound_.method != "wavefront") counting();
    out_.display(math("Q"), ">=", math(bound_.expression));
    out_.say("This holds for " +
             (bound_.holds_for.empty() ? std::string("all sizes") : conditions_text()) +
             ". For large sizes " + out_.formula(bound_.leading) + "." +
             (bound_.recomputation ? "" : " Each value is computed once."));
    if (bound_.value)
      out_.say("At the given sizes " + symbolic::grouped(static_cast<long>(*bound_.value)) +
               " words.");
  }

  std::string conditions_text() const {
    std::string text;
    for (const SizeCondition& c : bound_.holds_where)
      text += (text.empty() ? "" : ", ") + out_.formula(c.left, c.relation, c.right);
    return text;
  }

  void conditions() {
    out_.heading("Conditions");
    for (const Condition& c : bound_.ledger) {
      out_.item((c.status == Condition::Status::proved ? "proved: " : "assumed: ") +
                out_.words(c.condition));
    }
  }

  const BoundReport& report_;
  const LowerBound& bound_;
  Markup markup_;
  Prose out_;
};

}  // namespace

const LowerBound& strongest_of(const BoundReport& report, const std::string& statement,
                               bool assumed) {
  if (statement.empty()) return report.bounds[assumed ? report.best_assumed : report.best];
  const LowerBound* best = nullptr;
  for (const LowerBound& b : report.bounds) {
    if (b.statement != statement || (!assumed && !b.proved())) continue;
    if (best == nullptr || b.value.value_or(0) > best->value.value_or(0)) best = &b;
  }
  if (best != nullptr) return *best;
  std::string known;
  for (const LowerBound& b : report.bounds) {
    if (b.statement.empty() || known.find(b.statement) != std::string::npos) continue;
    known += (known.empty() ? "" : ", ") + b.statement;
  }
  throw Error("--statement " + statement, "no bound of that statement",
              "there are bounds of " + known);
}

std::string explanation(const BoundReport& report, const LowerBound& bound, Markup markup) {
  return Writer(report, bound, markup).text();
}

std::string explanation(const BoundReport& report, const LowerBound& bound, bool markdown) {
  return explanation(report, bound, markdown ? Markup::markdown : Markup::none);
}

}  // namespace redblue
