// The projection method on one statement: which elements a set of instances must find in fast
// memory, and what follows for the traffic (shared/design/bounds.md 1 to 4).
#include <isl/aff.h>
#include <isl/ilp.h>
#include <isl/map.h>
#include <isl/set.h>

#include <algorithm>
#include <set>

#include "bounds/bound.hpp"
#include "bounds/footprint_program.hpp"
#include "program/count.hpp"

namespace redblue::bounds {

using program::Access;
using program::Program;
using program::Statement;
using symbolic::Expr;
using symbolic::Rational;

namespace {

constexpr auto proved = Condition::Status::proved;
constexpr auto assumed = Condition::Status::assumed;

// What is known about the versions of an array in the whole program.
struct VersionChains {
  bool written = false;
  std::vector<const Access*> fresh_writes;  // writes that do not read the element they overwrite
  bool read_only_in_place = true;           // each read is by the instance that overwrites it
};

bool reads_what_it_writes(const Statement& s, const Access& write) {
  return std::any_of(s.reads.begin(), s.reads.end(), [&write](const Access& read) {
    return read.array == write.array && !read.conditional &&
           write.elements.is_subset(read.elements);
  });
}

VersionChains version_chains(const Program& program, const std::string& array) {
  VersionChains chains;
  for (const Statement& s : program.statements) {
    for (const Access& write : s.writes) {
      if (write.array != array) continue;
      chains.written = true;
      if (!reads_what_it_writes(s, write)) chains.fresh_writes.push_back(&write);
    }
    for (const Access& read : s.reads) {
      if (read.array != array) continue;
      const bool in_place =
          std::any_of(s.writes.begin(), s.writes.end(), [&read](const Access& write) {
            return write.array == read.array && read.elements.is_subset(write.elements);
          });
      chains.read_only_in_place = chains.read_only_in_place && in_place;
    }
  }
  return chains;
}

// The loops whose counters the access shows one by one; mixed subscripts are left out, which can
// only make the image smaller.
std::vector<int> coordinate_loops(const Access& access, bool& mixed) {
  std::set<int> loops;
  for (const program::Subscript& s : program::subscripts(access.elements)) {
    if (s.kind == program::Subscript::Kind::coordinate) loops.insert(s.iterator);
    mixed = mixed || s.kind == program::Subscript::Kind::mixed;
  }
  return {loops.begin(), loops.end()};
}

// The images of one array under one statement.
struct Image {
  const Access* access;
  std::vector<int> loops;
};

// Leaves out images that never have more points than another one of the same array.
std::vector<Image> undominated(const std::vector<Image>& images) {
  std::vector<Image> result;
  for (const Image& image : images) {
    const auto covers = [&image](const Image& other) {
      return std::includes(other.loops.begin(), other.loops.end(), image.loops.begin(),
                           image.loops.end());
    };
    if (std::any_of(result.begin(), result.end(), covers)) continue;
    result.erase(std::remove_if(result.begin(), result.end(),
                                [&image](const Image& other) {
                                  return std::includes(image.loops.begin(), image.loops.end(),
                                                       other.loops.begin(), other.loops.end());
                                }),
                 result.end());
    result.push_back(image);
  }
  return result;
}

bool disjoint_over_domain(const std::vector<Image>& images) {
  for (std::size_t a = 0; a < images.size(); ++a) {
    for (std::size_t b = a + 1; b < images.size(); ++b) {
      if (!images[a].access->elements.range().is_disjoint(images[b].access->elements.range()))
        return false;
    }
  }
  return true;
}

std::string list_of(const std::vector<Image>& images) {
  std::string text;
  for (const Image& image : images) text += (text.empty() ? "" : ", ") + image.access->text;
  return text;
}

class Derivation {
 public:
  Derivation(const Program& program, const Statement& statement, const Sizes& sizes,
             bool take_disjoint)
      : program_(program), statement_(statement), sizes_(sizes), take_disjoint_(take_disjoint) {}

  // nullopt where reuse is unlimited or nothing is left of the bound.
  std::optional<Bound> derive() {
    std::set<std::string> arrays;
    for (const Access& read : statement_.reads) {
      if (always(read)) arrays.insert(read.array);
    }
    for (const std::string& array : arrays) add_array(array);
    const int loops = static_cast<int>(statement_.iterators.size());
    const std::optional<Intensity> intensity = solve(terms_, loops);
    if (!intensity) return std::nullopt;
    if (mixed_) {
      note("subscripts that mix loop variables count by their plain subscripts only", proved);
    }
    note("|H| <= product of |projection|^s (Hoelder-Brascamp-Lieb) for every set H of instances",
         proved);
    return finish(*intensity);
  }

 private:
  // Read by every instance; what some instances read says nothing about a set of instances.
  bool always(const Access& read) const {
    return !read.conditional && statement_.domain.is_subset(read.elements.domain());
  }

  void note(const std::string& condition, Condition::Status status) {
    ledger_.push_back({condition, status});
  }

  void add_array(const std::string& array) {
    const VersionChains chains = version_chains(program_, array);
    if (chains.written && !add_version_ledger(array, chains)) return;
    if (!chains.written)
      note(array + " is never written: every element touched is an input", proved);
    std::vector<Image> images;
    for (const Access& read : statement_.reads) {
      if (read.array == array && always(read))
        images.push_back({&read, coordinate_loops(read, mixed_)});
    }
    images = undominated(images);
    if (images.size() == 1 && images.front().loops.empty()) return;
    Rational weight = 1;
    if (images.size() > 1) {
      if (disjoint_over_domain(images)) {
        note("the images of " + list_of(images) + " are disjoint over the whole domain", proved);
      } else if (take_disjoint_) {
        note("the images of " + list_of(images) + " are disjoint within a segment", assumed);
      } else {
        weight = Rational(1) / static_cast<long>(images.size());
        note("the images of " + list_of(images) + " may overlap: their union counts as their mean",
             proved);
      }
    }
    for (const Image& image : images) add_term(image.loops, weight);
  }

  // False where the array's versions give nothing.
  bool add_version_ledger(const std::string& array, const VersionChains& chains) {
    if (chains.fresh_writes.empty()) {
      note("every write of " + array + " reads the element it overwrites: each element touched " +
               "brings one version from outside the segment",
           proved);
      return true;
    }
    for (const Access* write : chains.fresh_writes) {
      // The written versions become inputs; each costs at most one load more.
      const program::Count count = program::count(write->elements.domain());
      tagged_ += count.generic();
      if (sizes_.complete) tagged_value_ += count.number(sizes_.values);
    }
    note("versions of " + array + " that start a chain count as inputs; their number is subtracted",
         proved);
    if (chains.read_only_in_place) {
      note("each version of " + array +
               " is read by the next update only, so computing one again cannot help",
           proved);
    } else {
      note("no value of " + array + " is computed twice", assumed);
    }
    return true;
  }

  void add_term(const std::vector<int>& loops, const Rational& weight) {
    for (Term& term : terms_) {
      if (term.loops != loops) continue;
      term.coefficient += weight;
      return;
    }
    terms_.push_back({loops, weight});
  }

  Bound finish(const Intensity& intensity) {
    Bound bound;
    bound.method = "projection";
    bound.statement = statement_.name;
    const program::Count count = program::count(statement_.domain);
    std::string condition;
    const Expr vertices = count.generic(&condition);
    if (!condition.empty()) note("the formula is for sizes in " + condition, proved);
    const Expr s = symbolic::fast_memory();
    const Expr moved = (vertices / intensity.rho).expand();
    bound.leading = symbolic::leading_term((moved - tagged_).expand());
    if (intensity.alpha == 1) {
      bound.expression = moved - 2 * GiNaC::sqrt(s * moved) + s - tagged_;
    } else {
      bound.expression = moved - s / (intensity.alpha - 1) - tagged_;
    }
    bound.intensity = intensity.rho;
    bound.segment = intensity.segment;
    for (std::size_t t = 0; t < intensity.tiles.size(); ++t) {
      bound.tiles.emplace_back(statement_.iterators[t], intensity.tiles[t]);
    }
    if (sizes_.complete) bound.value = value(count);
    bound.ledger = std::move(ledger_);
    return bound;
  }

  double value(const program::Count& count) const {
    const double vertices = count.number(sizes_.values);
    if (vertices <= 0) return 0;
    double s = 0;
    symbolic::evaluate(symbolic::fast_memory(), sizes_.values, s);
    return std::max(0.0, segments_bound(terms_, program::extents(statement_.domain, sizes_.values),
                                        vertices, s, sizes_.units) -
                             tagged_value_);
  }

  const Program& program_;
  const Statement& statement_;
  const Sizes& sizes_;
  const bool take_disjoint_;
  std::vector<Term> terms_;
  std::vector<Condition> ledger_;
  Expr tagged_ = 0;
  double tagged_value_ = 0;
  bool mixed_ = false;
};

}  // namespace

std::vector<Bound> projections(const Program& program, const Statement& statement,
                               const Sizes& sizes) {
  std::vector<Bound> result;
  for (const bool take_disjoint : {false, true}) {
    const std::optional<Bound> bound =
        Derivation(program, statement, sizes, take_disjoint).derive();
    if (!bound) continue;
    const bool same = !result.empty() && result.front().expression.is_equal(bound->expression);
    if (!same) result.push_back(*bound);
  }
  return result;
}

}  // namespace redblue::bounds
