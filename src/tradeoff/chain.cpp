// SPDX-License-Identifier: BSD-3-Clause
#include "tradeoff/chain.hpp"

#include <isl/map.h>
#include <isl/set.h>

#include <algorithm>

#include "program/count.hpp"
#include "program/operation_limit.hpp"

namespace redblue::tradeoff {

using program::Access;
using program::Program;
using program::Statement;
using symbolic::Expr;

namespace {

constexpr int most_rounds = 5;    // of leaving out instances without a neighbour inside
constexpr long far = 1000;        // in the window, where counts have one piece of many
constexpr long short_window = 8;  // counts may differ from the formula's for windows up to this
constexpr unsigned long most_operations = 60'000;  // of isl for one interval
constexpr int most_intervals = 40;                 // tried for one program

// "[N, window_first, window_last] -> "
std::string parameters_text(const Program& program) {
  std::string text = "[";
  for (const std::string& p : program.parameters) text += p + ", ";
  return text + window_first + ", " + window_last + "] -> ";
}

std::string tuple_text(const Statement& s, const std::vector<std::string>& places) {
  std::string text = s.name + "[";
  for (std::size_t i = 0; i < places.size(); ++i) text += (i == 0 ? "" : ", ") + places[i];
  return text + "]";
}

isl::set read_set(const std::string& text) {
  return isl::manage(isl_set_read_from_str(program::context().get(), text.c_str()));
}

isl::set none_of(const Statement& s) {
  return s.domain.subtract(s.domain);
}

// v(t) as a set.
isl::set vertex(const Program& program, const Statement& s, const std::vector<int>& shifts,
                const std::string& t) {
  std::vector<std::string> places;
  for (const int shift : shifts) places.push_back(t + " + " + std::to_string(shift));
  return read_set(parameters_text(program) + "{ " + tuple_text(s, places) + " }")
      .intersect(s.domain);
}

// Whether v(t) comes before v(t + 1) in the program.
bool runs_forwards(const Program& program, const Statement& s, const std::vector<int>& shifts) {
  const isl::map before = isl::manage(isl_map_lex_lt_map(s.schedule.copy(), s.schedule.copy()));
  const isl::set first = vertex(program, s, shifts, window_first);
  const isl::set last = vertex(program, s, shifts, window_last);
  const isl::set next =
      read_set(parameters_text(program) + "{ : " + window_last + " = " + window_first + " + 1 }");
  return !before.intersect_domain(first).intersect_range(last).intersect_params(next).is_empty();
}

// One candidate: a chain, and which iterators of which statement are held between its ends.
class Candidate {
 public:
  Candidate(const Program& program, const std::vector<Flow>& flows, const Statement& s,
            const std::vector<int>& shifts, bool any_order, int& tries)
      : program_(program), flows_(flows), any_order_(any_order), tries_(tries) {
    const bool backwards = !runs_forwards(program, s, shifts);
    chain_.statement = &s;
    chain_.shifts = shifts;
    chain_.backwards = backwards;
    chain_.any_order = any_order;
    source_ = vertex(program, s, shifts, backwards ? window_last : window_first);
    sink_ = vertex(program, s, shifts, backwards ? window_first : window_last);
    std::string where = std::string(window_first) + " < " + window_last;
    for (const std::string& p : program.parameters)
      where += " and " + p + " >= " + std::to_string(least_size);
    context_ = source_.params()
                   .intersect(sink_.params())
                   .intersect(read_set(parameters_text(program) + "{ : " + where + " }"));
    for (const Statement& q : program.statements) {
      held_[q.name].assign(q.iterators.size(), true);
      for (const std::string& name : q.iterators) {
        if (std::find(names_.begin(), names_.end(), name) == names_.end()) names_.push_back(name);
      }
    }
  }

  // The chain with the largest interval found; nullopt where the ends do not hang together.
  std::optional<Chain> best() {
    if (context_.is_empty()) return std::nullopt;
    if (!start()) return std::nullopt;
    for (const Statement& q : program_.statements) {
      for (std::size_t i = 0; i < q.iterators.size(); ++i) {
        if (!held_[q.name][i]) continue;
        held_[q.name][i] = false;
        const auto grows = [&] {
          const auto larger = interval();
          return larger && includes(*larger, chain_.inside) && !includes(chain_.inside, *larger) &&
                 count(*larger);
        };
        if (!attempt(grows)) held_[q.name][i] = true;
      }
    }
    return chain_;
  }

 private:
  // Whether f says so before isl or the count gives up.
  template <class F>
  bool attempt(const F& f) {
    if (tries_ == 0) return false;
    --tries_;
    try {
      const program::OperationLimit limit(most_operations);
      return f();
    } catch (const program::Uncountable&) {
      return false;
    } catch (const isl::exception&) {
      return false;
    }
  }

  static bool includes(const Instances& large, const Instances& small) {
    return std::all_of(small.begin(), small.end(), [&](const auto& entry) {
      return entry.second.is_subset(large.at(entry.first));
    });
  }

  // Holds all iterators between the ends, or all but those of one name.
  bool start() {
    hold_all_but([](const std::string&) { return true; });
    bool lost = false;
    attempt([&] { return interval(2, &lost).has_value(); });
    if (lost) return false;  // so smaller sets lose an end, too
    const int most_shift = *std::max_element(chain_.shifts.begin(), chain_.shifts.end());
    for (shift_ = 0; shift_ <= most_shift; ++shift_) {
      std::vector<std::string> freed = {""};
      freed.insert(freed.end(), names_.begin(), names_.end());
      for (const std::string& name : freed) {
        hold_all_but([&](const std::string& iterator) { return iterator == name; });
        const auto valid = [&] {
          const auto inside = interval();
          return inside && count(*inside);
        };
        if (attempt(valid)) return true;
      }
    }
    return false;
  }

  template <class Free>
  void hold_all_but(const Free& is_free) {
    for (const Statement& q : program_.statements) {
      for (std::size_t i = 0; i < q.iterators.size(); ++i)
        held_[q.name][i] = !is_free(q.iterators[i]);
    }
  }

  Instances between_ends() const {
    Instances result;
    for (const Statement& q : program_.statements) {
      std::vector<std::string> places;
      std::string where;
      for (std::size_t i = 0; i < q.iterators.size(); ++i) {
        const std::string name = "i" + std::to_string(i);
        places.push_back(name);
        if (!held_.at(q.name)[i]) continue;
        const std::string shift = " + " + std::to_string(shift_);
        where += (where.empty() ? " : " : " and ") + std::string(window_first) + shift +
                 " <= " + name + " <= " + window_last + shift;
      }
      isl::set set =
          read_set(parameters_text(program_) + "{ " + tuple_text(q, places) + where + " }")
              .intersect(q.domain)
              .intersect_params(context_);
      if (&q == chain_.statement) set = set.unite(ends());
      result.emplace(q.name, set.coalesce());
    }
    return result;
  }

  isl::set ends() const { return source_.unite(sink_).intersect_params(context_); }

  // Instances between the ends that read one of them (or are the source) and are read by one of
  // them (or are the sink), so that each of them lies on a path from the source to the sink: flow
  // has no cycles. nullopt where the ends are not both among them (`lost`), or there is no end of
  // leaving out others.
  std::optional<Instances> interval(int rounds = most_rounds, bool* lost = nullptr) const {
    Instances inside = between_ends();
    for (int round = 0; round < rounds; ++round) {
      Instances next;
      bool same = true;
      for (const Statement& q : program_.statements) {
        isl::set kept =
            inside.at(q.name).intersect(readers(inside, q)).intersect(writers(inside, q));
        same = same && kept.is_equal(inside.at(q.name));
        next.emplace(q.name, kept.coalesce());
      }
      inside = std::move(next);
      if (!ends().is_subset(inside.at(chain_.statement->name))) {
        if (lost != nullptr) *lost = true;
        return std::nullopt;
      }
      if (same) return inside;
    }
    return std::nullopt;
  }

  isl::set readers(const Instances& inside, const Statement& q) const {
    isl::set result = &q == chain_.statement ? source_ : none_of(q);
    for (const Flow& f : flows_) {
      if (f.reader != &q || (any_order_ && f.accumulates)) continue;
      result = result.unite(f.values.intersect_range(inside.at(f.writer)).domain());
    }
    return result;
  }

  isl::set writers(const Instances& inside, const Statement& q) const {
    isl::set result = &q == chain_.statement ? sink_ : none_of(q);
    for (const Flow& f : flows_) {
      if (f.writer != q.name) continue;
      result = result.unite(f.values.intersect_domain(inside.at(f.reader->name)).range());
    }
    return result;
  }

  symbolic::Valuation far_out() const {
    symbolic::Valuation values;
    long next = far * far;
    for (const std::string& p : program_.parameters) values[p] = next += far;
    values[window_first] = far;
    return values;
  }

  // A formula for at least as many points as the set has, and for that many in all but short
  // windows; nullopt where there is none for all positions and sizes.
  std::optional<Expr> one_formula(const isl::set& set, const isl::set& where,
                                  const symbolic::Valuation& values) const {
    const program::Count counted = program::count(set);
    const program::CountPiece* main = counted.piece_at(values);
    if (main == nullptr) return std::nullopt;
    const isl::set long_windows = where.intersect(windows("> " + std::to_string(short_window)));
    if (!long_windows.is_subset(main->where)) return std::nullopt;
    for (long b = 2; b <= short_window; ++b) {
      const symbolic::Valuation length = {{window_length, b}};
      const isl::set here = where.intersect(windows("= " + std::to_string(b)));
      isl::set elsewhere = here.subtract(main->where);
      for (const program::CountPiece& piece : counted.pieces) {
        if (piece.where.is_disjoint(elsewhere)) continue;
        const Expr more = symbolic::substitute(piece.count - main->count, length).expand();
        if (!GiNaC::is_a<GiNaC::numeric>(more) || more < 0) return std::nullopt;
        elsewhere = elsewhere.subtract(piece.where);
      }
      if (elsewhere.is_empty()) continue;  // else there are no points
      const Expr none = symbolic::substitute(main->count, length).expand();
      if (!GiNaC::is_a<GiNaC::numeric>(none) || none > 0) return std::nullopt;
    }
    return main->count;
  }

  // All parameters with a window of such a length.
  isl::set windows(const std::string& length) const {
    return read_set("[" + std::string(window_length) + "] -> { : " + window_length + " " + length +
                    " }");
  }

  // Makes `inside` the chain's, with its size; false where that is no one formula in b.
  bool count(const Instances& inside) {
    const std::string b = window_length;
    // window_last becomes window_first + b - 1.
    std::string text = "[";
    for (const std::string& p : program_.parameters) text += p + ", ";
    text += std::string(window_first) + ", " + window_last + ", " + b + "] -> { : " + window_last +
            " = " + window_first + " + " + b + " - 1 }";
    const auto in_length = [&](const isl::set& set) {
      isl_set* s = set.intersect_params(read_set(text)).release();
      const int place = isl_set_find_dim_by_name(s, isl_dim_param, window_last);
      return isl::manage(isl_set_project_out(s, isl_dim_param, static_cast<unsigned>(place), 1));
    };
    symbolic::Valuation values = far_out();
    values[b] = far;
    const isl::set where = in_length(context_);
    Expr size = 0;
    for (const auto& [name, set] : inside) {
      if (set.is_empty()) continue;
      const auto formula = one_formula(in_length(set), where, values);
      if (!formula) return false;
      size += *formula;
    }
    size = size.expand();
    if (size.has(symbolic::symbol(window_first))) return false;
    chain_.inside = inside;
    chain_.interval = size;
    chain_.order = size.degree(symbolic::symbol(b));
    return count_chain();
  }

  bool count_chain() {
    const std::string both = parameters_text(program_);
    std::string text = "[";
    for (std::size_t i = 0; i < program_.parameters.size(); ++i)
      text += (i == 0 ? "" : ", ") + program_.parameters[i];
    std::vector<std::string> places;
    std::string where;
    for (std::size_t i = 0; i < chain_.shifts.size(); ++i) {
      places.push_back("i" + std::to_string(i));
      where +=
          (i == 0 ? "" : " and ") + places.back() + " = t + " + std::to_string(chain_.shifts[i]);
    }
    const isl::set chain = read_set(text + "] -> { " + tuple_text(*chain_.statement, places) +
                                    " : exists t : " + where + " }")
                               .intersect(chain_.statement->domain);
    const program::Count counted = program::count(chain);
    const program::CountPiece* piece = counted.piece_at(far_out());
    if (piece == nullptr) return false;
    chain_.length = piece->count;
    return true;
  }

  const Program& program_;
  const std::vector<Flow>& flows_;
  bool any_order_;
  int& tries_;  // intervals that may still be tried
  Chain chain_;
  isl::set source_, sink_, context_;
  std::vector<std::string> names_;  // of iterators
  int shift_ = 0;                   // of the range iterators are held in
  std::map<std::string, std::vector<bool>> held_;
};

// Orders chains: by the interval's degree in the window, then by its total degree, then by its
// coefficient.
std::tuple<int, double, double> growth(const Chain& chain) {
  const Expr leading = chain.interval.lcoeff(symbolic::symbol(window_length));
  symbolic::Valuation values;
  GiNaC::exmap large;
  double number = 0;
  symbolic::evaluate(symbolic::substitute(leading, values), values, number);
  return {chain.order, symbolic::degree(leading).to_double(), number};
}

}  // namespace

std::string Chain::text() const {
  std::string result = statement->name + "(";
  for (std::size_t i = 0; i < shifts.size(); ++i)
    result += std::string(i == 0 ? "" : ", ") + (shifts[i] == 0 ? "t" : "t + 1");
  return result + ")" + (backwards ? ", t falling" : "");
}

namespace {

// Statements with fewer iterators first: their chains are the plainest.
std::vector<const Statement*> by_iterators(const Program& program) {
  std::vector<const Statement*> result;
  for (const Statement& s : program.statements) {
    if (!s.iterators.empty() && s.iterators.size() <= 3) result.push_back(&s);
  }
  std::stable_sort(result.begin(), result.end(), [](const Statement* a, const Statement* b) {
    return a->iterators.size() < b->iterators.size();
  });
  return result;
}

}  // namespace

std::optional<Chain> fastest_chain(const Program& program, const std::vector<Flow>& flows) {
  std::size_t most = 0;  // no interval has a higher order
  for (const Statement& s : program.statements) most = std::max(most, s.iterators.size());
  int tries = most_intervals;
  std::optional<Chain> best;
  for (const bool any_order : {true, false}) {
    for (const Statement* s : by_iterators(program)) {
      const std::size_t n = s->iterators.size();
      for (unsigned shifted = 0; shifted + 1 < 1U << n; ++shifted) {
        std::vector<int> shifts;
        for (std::size_t i = 0; i < n; ++i) shifts.push_back((shifted >> i & 1U) != 0 ? 1 : 0);
        const auto chain = Candidate(program, flows, *s, shifts, any_order, tries).best();
        if (chain && chain->order >= 2 && (!best || growth(*chain) > growth(*best))) best = chain;
        if (best && best->order == static_cast<int>(most)) return best;
      }
    }
    if (best) break;
  }
  return best;
}

}  // namespace redblue::tradeoff
