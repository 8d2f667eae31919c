// SPDX-License-Identifier: BSD-3-Clause
#include "sweeps/recognise.hpp"

#include <isl/aff.h>
#include <isl/map.h>
#include <isl/set.h>
#include <isl/val.h>

#include <algorithm>
#include <optional>
#include <set>

#include "redblue/error.hpp"
#include "sweeps/at_sizes.hpp"

namespace redblue::sweeps {

using program::Access;
using program::Program;
using program::Sizes;
using program::Statement;

namespace {

constexpr std::size_t most_boxes = 32;

int dimensions_of(const isl::set& set) {
  return static_cast<int>(isl_set_dim(set.get(), isl_dim_set));
}

// instance -> [the outermost loop's counter], or -> [0] where that is no time loop.
isl::map time_of(const isl::set& domain, bool time_loop) {
  if (!time_loop) {
    isl_set* zero = isl_set_universe(isl_space_set_alloc(program::context().get(), 0, 1));
    return isl::manage(
        isl_map_from_domain_and_range(domain.copy(), isl_set_fix_si(zero, isl_dim_set, 0, 0)));
  }
  isl_map* time = isl_set_identity(domain.copy());
  time =
      isl_map_project_out(time, isl_dim_out, 1, static_cast<unsigned>(dimensions_of(domain) - 1));
  return isl::manage(isl_map_reset_tuple_id(time, isl_dim_out));
}

isl::map unnamed_range(const isl::map& map) {
  return isl::manage(isl_map_reset_tuple_id(map.copy(), isl_dim_out));
}

// instance -> [time, element it sets].
isl::map targets(const Statement& s, bool time_loop) {
  return isl::manage(isl_map_flat_range_product(
      time_of(s.domain, time_loop).release(), unnamed_range(s.writes.front().elements).release()));
}

isl::set without_first(const isl::set& set) {
  return isl::manage(isl_set_project_out(set.copy(), isl_dim_set, 0, 1));
}

isl::set first_alone(const isl::set& set) {
  return isl::manage(isl_set_project_out(set.copy(), isl_dim_set, 1,
                                         static_cast<unsigned>(dimensions_of(set) - 1)));
}

// Whether a subscript's formula has the outermost loop's counter in it.
bool depends_on_first(const isl::map& elements) {
  const isl::pw_multi_aff subscripts = isl::manage(isl_pw_multi_aff_from_map(elements.copy()));
  for (int d = 0; d < static_cast<int>(isl_map_dim(elements.get(), isl_dim_out)); ++d) {
    const isl::pw_aff one = isl::manage(isl_pw_multi_aff_get_pw_aff(subscripts.get(), d));
    for (const program::AffinePiece& piece : program::pieces_of(one)) {
      if (isl_aff_involves_dims(piece.value.get(), isl_dim_in, 0, 1)) return true;
    }
  }
  return false;
}

// Whether the statement does the same in each iteration of the outermost loop.
bool repeats(const isl::set& targets) {
  isl_set* product =
      isl_set_flat_product(first_alone(targets).release(), without_first(targets).release());
  return targets.is_equal(isl::manage(product));
}

// element set -> element read, in any one time step.
isl::map from_target_to_read(const isl::map& instances, const Access& read) {
  isl_map* element = isl_set_identity(instances.domain().release());
  element = isl_map_reset_tuple_id(isl_map_project_out(element, isl_dim_in, 0, 1), isl_dim_in);
  return unnamed_range(isl::manage(
      isl_map_apply_range(element, isl_map_apply_range(instances.copy(), read.elements.copy()))));
}

isl::set distances(const isl::map& instances, const Access& read) {
  return isl::manage(isl_map_deltas(from_target_to_read(instances, read).release()));
}

// Whether no distance depends on the parameters.
bool is_bounded(const isl::set& distances) {
  for (int d = 0; d < dimensions_of(distances); ++d) {
    for (const bool largest : {false, true}) {
      isl_pw_aff* end =
          largest ? isl_set_dim_max(distances.copy(), d) : isl_set_dim_min(distances.copy(), d);
      const isl::pw_aff value = isl::manage(end);
      for (const program::AffinePiece& piece : program::pieces_of(value)) {
        const auto parameters =
            static_cast<unsigned>(isl_aff_dim(piece.value.get(), isl_dim_param));
        if (isl_aff_involves_dims(piece.value.get(), isl_dim_param, 0, parameters)) return false;
      }
    }
  }
  return true;
}

// Whether the element read in a time step is the same for all elements set in it.
bool is_the_same_everywhere(const isl::map& instances, const Access& read) {
  isl_map* read_at = isl_map_apply_range(instances.copy(), read.elements.copy());
  const auto inputs = static_cast<unsigned>(isl_map_dim(read_at, isl_dim_in));
  return isl::manage(isl_map_project_out(read_at, isl_dim_in, 1, inputs - 1)).is_single_valued();
}

isl::set everywhere(unsigned dimensions) {
  return isl::manage(
      isl_set_universe(isl_space_set_alloc(program::context().get(), 0, dimensions)));
}

isl::set bounded(const isl::set& set, int dimension, std::int64_t begin, std::int64_t end) {
  const isl::val low(program::context(), static_cast<long>(begin));
  const isl::val high(program::context(), static_cast<long>(end - 1));
  const auto d = static_cast<unsigned>(dimension);
  isl_set* above = isl_set_lower_bound_val(set.copy(), isl_dim_set, d, low.copy());
  return isl::manage(isl_set_upper_bound_val(above, isl_dim_set, d, high.copy()));
}

// Cuts the set where its slices across `dimension` change, and each part so from the next dimension
// on; `box` has the dimensions before. False where that are too many boxes.
bool cut(isl::set set, int dimension, const MeshBox& box, std::vector<MeshBox>& boxes) {
  const auto j = static_cast<std::size_t>(dimension);
  if (dimension == dimensions_of(set) || j >= box.begin.size()) {
    boxes.push_back(box);
    return boxes.size() <= most_boxes;
  }
  while (!set.is_empty()) {
    const Range range = range_of(set, dimension);
    const isl::set slice = bounded(set, dimension, range.begin, range.begin + 1);
    const isl::set like_first =
        bounded(isl::manage(isl_set_eliminate(slice.copy(), isl_dim_set,
                                              static_cast<unsigned>(dimension), 1)),
                dimension, range.begin, range.end);
    const isl::set other = like_first.subtract(set).unite(set.subtract(like_first));
    const std::int64_t end = other.is_empty() ? range.end : range_of(other, dimension).begin;
    MeshBox next = box;
    next.begin[j] = range.begin;
    next.end[j] = end;
    if (!cut(slice, dimension + 1, next, boxes)) return false;
    set = bounded(set, dimension, end, range.end);
  }
  return true;
}

// Disjoint boxes that make up the set; none where it takes too many.
std::vector<MeshBox> boxes_of(const isl::set& set) {
  std::vector<MeshBox> boxes;
  return cut(set, 0, {}, boxes) ? boxes : std::vector<MeshBox>{};
}

class Recogniser {
 public:
  Recogniser(const Program& program, const Sizes& sizes)
      : program_(program), fixed_(at_sizes(program, sizes)) {}

  Recognised read() {
    if (fixed_.statements.empty()) {
      throw Error(program_.region.file, "no stencil: no point is updated at these sizes",
                  "give larger ones");
    }
    find_time_loop();
    find_dimensions();
    for (const Statement& s : fixed_.statements) add_sweep(s);
    find_reads();
    check_order();
    return result_;
  }

 private:
  [[noreturn]] void refuse(const Statement& s, const std::string& reason,
                           const std::string& remedy) const {
    throw Error(no_stencil(program_, s), reason, remedy);
  }

  // The loop around all statements that no subscript of what they set depends on.
  void find_time_loop() {
    std::optional<std::int64_t> common;
    bool shared = true, used = false;
    for (const Statement& s : fixed_.statements) {
      const Range place = range_of(s.schedule.range(), 0);
      shared = shared && !s.iterators.empty() && place.size() == 1 &&
               (!common || *common == place.begin);
      common = place.begin;
      used = used || (!s.iterators.empty() && depends_on_first(s.writes.front().elements));
    }
    if (!shared || used) return;
    result_.time_loop = true;
    const isl::set times = time_of(fixed_.statements.front().domain, true).range();
    const Range range = range_of(times, 0);
    for (const Statement& s : fixed_.statements) {
      const isl::set here = time_of(s.domain, true).range();
      if (!here.is_equal(times) ||
          !here.is_equal(bounded(everywhere(1), 0, range.begin, range.end)))
        refuse(s, "it is not executed in every step of loop " + s.iterators.front(),
               "let all statements run in all steps");
      if (!repeats(targets(s, true).range()))
        refuse(s, "its loops depend on " + s.iterators.front(),
               "let every time step update the same points");
    }
    result_.first_time = range.begin;
    result_.steps = range.size();
  }

  void find_dimensions() {
    result_.dimensions =
        fixed_.arrays.at(fixed_.statements.front().writes.front().array).dimensions;
    for (const Statement& s : fixed_.statements) {
      const std::string& array = s.writes.front().array;
      const int here = fixed_.arrays.at(array).dimensions;
      if (here == 0) {
        refuse(s, "it sets the scalar '" + array + "'",
               "write its value into the statements that read it");
      }
      if (here != result_.dimensions || here > 3) {
        refuse(s, "'" + array + "' has " + std::to_string(here) + " subscripts",
               "set arrays of one, two or three dimensions, all of the same");
      }
    }
  }

  void add_sweep(const Statement& s) {
    const isl::map place = targets(s, result_.time_loop);
    if (!isl_map_is_injective(place.get())) {
      refuse(s, "it sets an element of '" + s.writes.front().array + "' several times in one step",
             "sums over neighbours are written out in a stencil");
    }
    const std::vector<MeshBox> boxes = boxes_of(without_first(place.range()));
    if (boxes.empty()) {
      refuse(s, "the elements it sets are no few boxes",
             "let loops have constant bounds and step 1");
    }
    result_.sweeps.push_back({s, s.writes.front().array, boxes, {}, place.reverse()});
    if (std::count(result_.fields.begin(), result_.fields.end(), s.writes.front().array) == 0)
      result_.fields.push_back(s.writes.front().array);
  }

  // The same access in the program without sizes.
  bool has_bounded_distance(const Statement& s, std::size_t read) const {
    const auto original = std::find_if(program_.statements.begin(), program_.statements.end(),
                                       [&s](const Statement& o) { return o.name == s.name; });
    const isl::map instances = targets(*original, result_.time_loop).reverse();
    return is_bounded(distances(instances, original->reads[read]));
  }

  void find_reads() {
    std::set<std::string> far;  // arrays that are read at other than bounded distances
    for (const Sweep& sweep : result_.sweeps) {
      for (std::size_t r = 0; r < sweep.statement.reads.size(); ++r) {
        const std::string& array = sweep.statement.reads[r].array;
        const bool over_mesh = fixed_.arrays.at(array).dimensions == result_.dimensions;
        if (over_mesh && has_bounded_distance(sweep.statement, r)) continue;
        check_input(sweep, sweep.statement.reads[r]);
        far.insert(array);
      }
    }
    result_.inputs.assign(far.begin(), far.end());
    for (Sweep& sweep : result_.sweeps) {
      for (const Access& read : sweep.statement.reads) {
        if (far.count(read.array) == 0) add_read(sweep, read);
      }
    }
  }

  // That a read at no bounded distance is one of an array that each rank may have all of.
  void check_input(const Sweep& sweep, const Access& read) const {
    const bool is_set = std::count(result_.fields.begin(), result_.fields.end(), read.array) != 0;
    const bool full = fixed_.arrays.at(read.array).dimensions >= result_.dimensions;
    if (!is_set && (!full || is_the_same_everywhere(sweep.instances, read))) return;
    const Statement& s = sweep.statement;
    refuse(s, "'" + read.text + "' is at no bounded distance from '" + s.writes.front().text + "'",
           "read neighbours at constant offsets");
  }

  void add_read(Sweep& sweep, const Access& read) {
    if (std::count(result_.fields.begin(), result_.fields.end(), read.array) == 0)
      result_.fields.push_back(read.array);
    Distance distance{read.array, {}, {}, false};
    const isl::set all = distances(sweep.instances, read);
    for (int d = 0; d < result_.dimensions && !all.is_empty(); ++d) {
      const Range range = range_of(all, d);
      distance.low[static_cast<std::size_t>(d)] = range.begin;
      distance.high[static_cast<std::size_t>(d)] = range.end - 1;
    }
    distance.always = !read.conditional && distance.low == distance.high &&
                      read.elements.domain().is_equal(sweep.statement.domain);
    const bool elsewhere = distance.low != MeshIndex{} || distance.high != MeshIndex{};
    if (read.array == sweep.array && elsewhere) {
      refuse(sweep.statement, "it reads '" + read.text + "' of the array it sets at another point",
             "let a sweep set another array than it reads at neighbours");
    }
    sweep.reads.push_back(distance);
  }

  // That x, of a later sweep or of the same one, runs before y in the same step and both touch one
  // element.
  bool in_conflict(const Statement& x, const Access& of_x, const Statement& y,
                   const Access& of_y) const {
    isl_map* same_element =
        isl_map_apply_range(of_x.elements.copy(), isl_map_reverse(of_y.elements.copy()));
    isl_map* same_time =
        isl_map_apply_range(time_of(x.domain, result_.time_loop).release(),
                            isl_map_reverse(time_of(y.domain, result_.time_loop).release()));
    isl_map* before = isl_map_lex_lt_map(x.schedule.copy(), y.schedule.copy());
    return !isl::manage(isl_map_intersect(isl_map_intersect(same_element, same_time), before))
                .is_empty();
  }

  void check_order() const {
    for (std::size_t a = 0; a < fixed_.statements.size(); ++a) {
      for (std::size_t b = 0; b <= a; ++b)
        check_pair(fixed_.statements[a], fixed_.statements[b], a == b);
    }
  }

  // Sweep y before all of sweep x, or all points of one sweep in any order.
  void check_pair(const Statement& x, const Statement& y, bool same) const {
    const Access& set_by_x = x.writes.front();
    const Access& set_by_y = y.writes.front();
    for (const Access& read : y.reads) {
      if (read.array == set_by_x.array && in_conflict(x, set_by_x, y, read))
        refuse_order(x, y, read, same);
    }
    for (const Access& read : x.reads) {
      if (read.array == set_by_y.array && in_conflict(x, read, y, set_by_y))
        refuse_order(x, y, read, same);
    }
    if (set_by_x.array == set_by_y.array && in_conflict(x, set_by_x, y, set_by_y))
      refuse_order(x, y, set_by_y, same);
  }

  [[noreturn]] void refuse_order(const Statement& x, const Statement& y, const Access& access,
                                 bool same) const {
    if (same) {
      refuse(x, "'" + access.text + "' is set in the same sweep, so its points have an order",
             "let a sweep set another array than it reads at neighbours");
    }
    refuse(x, "'" + access.text + "' makes it take turns with line " + std::to_string(y.line),
           "give each sweep loops of its own");
  }

  const Program& program_;
  Program fixed_;
  Recognised result_;
};

}  // namespace

std::string no_stencil(const Program& program, const Statement& statement) {
  return program.region.file + ":" + std::to_string(statement.line) + ": no stencil";
}

Recognised recognise(const Program& program, const Sizes& sizes) {
  return Recogniser(program, sizes).read();
}

}  // namespace redblue::sweeps
