// SPDX-License-Identifier: BSD-3-Clause
// Bounds as prose.
#include "bounds/bound.hpp"
#include "bounds/footprint/footprint_program.hpp"
#include "redblue/analysis.hpp"
#include "redblue/error.hpp"

namespace redblue {

namespace {

class Writer {
 public:
  Writer(const BoundReport& report, const LowerBound& bound, bool markdown)
      : report_(report), bound_(bound), markdown_(markdown) {}

  std::string text() {
    title("How little " + report_.program + " can move");
    say("S words of fast memory; Q counts the words loaded and stored. Every statement instance is "
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
    } else if (bound_.method == "compulsory") {
      heading("The argument");
      say("Whatever the schedule, an input that is read is loaded once at least, and an output "
          "is stored once at least.");
    } else {
      heading("The argument");
      say("Bounds of " + bound_.statement +
          ", which share no vertex, add up; each is derived as "
          "redblue explain does for its statement alone.");
    }
    result();
    conditions();
    return text_;
  }

 private:
  void title(const std::string& t) { text_ += markdown_ ? "# " + t + "\n\n" : t + "\n\n"; }
  void heading(const std::string& t) { text_ += markdown_ ? "## " + t + "\n\n" : t + "\n"; }
  void say(const std::string& t) { text_ += (markdown_ ? t : "  " + t) + "\n\n"; }
  void item(const std::string& t) { text_ += (markdown_ ? "- " : "  - ") + t + "\n"; }
  void end_of_list() { text_ += "\n"; }

  std::string formula(const Formula& f) const {
    return markdown_ ? "$" + f.latex() + "$" : f.text();
  }

  void display(const std::string& left, const std::string& relation, const std::string& right) {
    if (markdown_) {
      text_ += "$$" + left + " " +
               (relation == ">="   ? "\\ge"
                : relation == "<=" ? "\\le"
                                   : "=") +
               " " + right + "$$\n\n";
    } else {
      text_ += "      " + left + " " + relation + " " + right + "\n\n";
    }
  }

  std::string math(const Formula& f) const { return markdown_ ? f.latex() : f.text(); }

  void program() {
    heading("The program");
    for (const StatementInfo& s : report_.statements) {
      const std::string what = markdown_ ? "`" + s.text + "`" : s.text;
      item(s.name + (s.line > 0 ? " (line " + std::to_string(s.line) + ")" : "") + ": " + what +
           ", " + formula(s.count) + " times");
    }
    end_of_list();
  }

  void segments() {
    heading("The argument");
    say("Cut any schedule into segments of X - S loads, the first of which may have fewer. A "
        "segment begins with at most S values in fast memory, the first with none, and loads at "
        "most X - S "
        "more. So of whatever set H of instances of " +
        bound_.statement + " it computes, at most X operands come from outside H.");
  }

  std::string projection(const LowerBound::Projection& p) const {
    std::string loops;
    for (const std::string& loop : p.loops) loops += (loops.empty() ? "" : ",") + loop;
    return markdown_ ? "|\\phi_{" + loops + "}(H)|" : "|H on " + loops + "|";
  }

  void needs() {
    heading("What H needs");
    std::string sum;
    for (const LowerBound::Projection& p : bound_.projections) {
      std::string loops;
      for (const std::string& loop : p.loops) loops += (loops.empty() ? "" : ", ") + loop;
      item(p.of + ": one value for every (" + loops + ") in H" +
           (p.weight == "1"
                ? ""
                : ", counted " + p.weight.text() + " times as others may coincide with it"));
      sum += (sum.empty() ? "" : " + ") + (p.weight == "1" ? "" : math(p.weight) + " ") +
             projection(p);
    }
    end_of_list();
    display(sum, "<=", "X");
  }

  void size() {
    heading("How large H can be");
    std::string product;
    for (const LowerBound::Projection& p : bound_.projections) {
      if (p.exponent == "0") continue;
      const std::string power = p.exponent == "1" ? ""
                                : markdown_       ? "^{" + p.exponent.latex() + "}"
                                                  : "^(" + p.exponent.text() + ")";
      product += (product.empty() ? "" : " ") + projection(p) + power;
    }
    say("A discrete Hoelder-Brascamp-Lieb inequality holds, as the exponents of the projections "
        "that show a loop add up to 1 at least, for every loop not cut into slices" +
        (bound_.factor.empty() ? std::string(":")
                               : "; with a factor by " + bound_.factor_from + ":"));
    display("|H|", "<=", (bound_.factor.empty() ? "" : math(bound_.factor) + " ") + product);
    say("Under the constraint above the product is largest where every projection has the share of "
        "X "
        "that its exponent is of all exponents:");
    display(markdown_ ? "\\chi(X)" : "chi(X)", "=", math(bound_.largest));
  }

  void best() {
    heading("The best X");
    if (!bound_.segment.empty()) {
      say("Vertices per transfer, chi(X) / (X - S), are fewest at X_0 = " +
          formula(bound_.segment) + ":");
    } else {
      say("Vertices per transfer, chi(X) / (X - S), fall as X grows, to");
    }
    display(markdown_ ? "\\rho" : "rho", "=", math(bound_.intensity));
    std::string tiles;
    for (const auto& [loop, size] : bound_.tiles)
      tiles += (tiles.empty() ? "" : ", ") + loop + " = " + formula(size);
    if (!tiles.empty()) say("The inequality is met by boxes of these sides: " + tiles + ".");
  }

  void borders() {
    heading("The argument");
    say("Each value is computed once. Cut any schedule into segments of X - S loads and stores. A "
        "segment finds at most S values in fast memory, leaves at most S there, and loads or "
        "stores X - S. "
        "So of whatever set H of instances of " +
        bound_.statement +
        " it computes, the values from outside that H reads and those of H still needed when it "
        "ends, together, are");
    display("|In(H)| + |Out(H)|", "<=", "S + X");
    say("Every instance reads those a fixed set of steps before it. So In(H) is what these steps "
        "reach from H and H does not hold, Out(H) what they reach H from: a set of any shape has a "
        "boundary on both sides that grows with it, least for dilates of the steps' difference "
        "body. "
        "Where H lies in the loops' space does not matter.");
    heading("How large H can be");
    say("Let D0 be the steps and 0, K = D0 - D0, E the part of H whose readers are all in H. The "
        "boundary holds |E + K| - |E| values at least, and for every k, with w^n cells in the sum "
        "of k "
        "bodies "
        "K (Pluennecke's inequality, then Brunn-Minkowski on unit cells),");
    display(markdown_ ? "|E+K|" : "|E + K|",
            ">=", markdown_ ? "|E|\\,(1 + w\\,|E|^{-1/n})^{n/k}" : "|E| (1 + w / |E|^(1/n))^(n/k)");
  }

  void hourglass() {
    segments();
    say("Each value is computed once, and each instance needs, through a reduction and its "
        "broadcast, all instances along a loop one outer step before. Whatever a segment computes "
        "between the first and the last step of a chain is whole along that loop, and whole slices "
        "need as many values per point as the loop is long; first and last steps are two on each "
        "chain. With m the length of that loop, a set of X values is at most");
    display("|H|", "<=", math(bound_.largest));
  }

  void pairs() {
    segments();
    say("An instance has two positions, its row and its place: those of the elements it reads. "
        "Along "
        "a chain the row stands still and the places follow one another, so H consists of runs of "
        "consecutive instances, each of which needs one value from outside. Runs whose places "
        "overlap form a block, and only near the diagonal are a block's rows among its places. "
        "Instances near it are left out; of the others");
    display("|H|", "<=", math(bound_.largest));
  }

  void table() {
    segments();
    say("Each value is computed once. " + bound_.statement +
        " fills a table from pairs of its own values, [w, x] and [x, y] for [w, y]. Let H use a of "
        "them on c of the table's chains, and finish o of these. What is finished has finished all "
        "within it. So left and right operands in common are worth no more than different ones "
        "but on the o chains, and for every e > 0");
    display("|H|", "<=",
            markdown_ ? "\\tfrac{a}{2}\\sqrt{(1+e)\\,(c+(\\tfrac{2}{e}-1)\\,o)}"
                      : "a/2 sqrt((1 + e) (c + (2/e - 1) o))");
    say("Every chain is finished once, in one segment.");
  }

  void wavefront() {
    heading("The argument");
    say("Each value is computed once. When the last vertex of a chain of " + bound_.statement +
        " is computed, values it was made from are still needed by vertices that come after it. "
        "They are alive at that moment; fast memory holds S of them, all others have been stored "
        "and are loaded again. Counted slice by slice, no value twice:");
    counting();
  }

  // What the bound is made of, a line each.
  void counting() {
    for (const auto& [what, number] : bound_.counted) item(what + ": " + formula(number));
    if (!bound_.counted.empty()) end_of_list();
  }

  void result() {
    heading("The bound");
    if (bound_.method != "wavefront") counting();
    display("Q", ">=", math(bound_.expression));
    say("This holds for " +
        (bound_.holds_for.empty() ? std::string("all sizes") : conditions_text()) +
        ". For large sizes " + formula(bound_.leading) + "." +
        (bound_.recomputation ? "" : " Each value is computed once."));
    if (bound_.value)
      say("At the given sizes " + std::to_string(static_cast<long long>(*bound_.value)) +
          " words.");
  }

  std::string condition(const SizeCondition& c) const {
    if (!markdown_) return c.left.text() + " " + c.relation + " " + c.right.text();
    return "$" + c.left.latex() + " " + (c.relation == ">=" ? "\\ge" : c.relation) + " " +
           c.right.latex() + "$";
  }

  std::string conditions_text() const {
    std::string text;
    for (const SizeCondition& c : bound_.holds_where)
      text += (text.empty() ? "" : ", ") + condition(c);
    return text;
  }

  void conditions() {
    heading("Conditions");
    for (const Condition& c : bound_.ledger) {
      item((c.status == Condition::Status::proved ? "proved: " : "assumed: ") + c.condition);
    }
  }

  const BoundReport& report_;
  const LowerBound& bound_;
  bool markdown_;
  std::string text_;
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

std::string explanation(const BoundReport& report, const LowerBound& bound, bool markdown) {
  return Writer(report, bound, markdown).text();
}

}  // namespace redblue
