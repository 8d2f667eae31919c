// SPDX-License-Identifier: BSD-3-Clause
// What redblue/stencil_source.hpp promises: from a file to fields, sweeps and C.
#include <isl/aff.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

#include "frontend/read.hpp"
#include "program/isl_errors.hpp"
#include "redblue/error.hpp"
#include "redblue/stencil_source.hpp"
#include "sweeps/at_sizes.hpp"
#include "sweeps/recognise.hpp"
#include "sweeps/text.hpp"

namespace redblue {

namespace {

using program::Access;
using program::Program;
using program::Sizes;
using program::Variable;
using sweeps::Distance;
using sweeps::Recognised;
using sweeps::Sweep;

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::count(names.begin(), names.end(), name) != 0;
}

bool is_real(const std::string& type) {
  return type == "double" || type == "float";
}

// In [1/2, 3/2), the same on every machine.
double random_value(const std::string& name) {
  std::uint64_t hash = 14695981039346656037U;  // FNV-1a
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  return 0.5 + static_cast<double>(hash >> 11) * 0x1p-53;
}

bool is_unknown(const isl::pw_aff& extent) {
  return isl_pw_aff_involves_nan(extent.get()) != isl_bool_false;
}

class Reader {
 public:
  explicit Reader(const BoundRequest& request)
      : sizes_(request.sizes), program_(frontend::read(request)) {
    if (program_.region.pieces != 1) {
      throw Error(program_.region.file.empty() ? "the program" : program_.region.file,
                  "no stencil: it is no single region of a C file",
                  "put one #pragma scop around the time loop");
    }
    check_text();
    check_sizes();
    recognised_ = sweeps::recognise(program_, sizes_);
  }

  StencilSource source() {
    result_.name = program_.name;
    result_.file = program_.region.file;
    result_.steps = recognised_.steps;
    result_.program.dimensions = recognised_.dimensions;
    result_.program.fields = static_cast<int>(recognised_.fields.size());
    find_elements();
    find_extents();
    add_arrays();
    for (const Sweep& sweep : recognised_.sweeps) add_sweep(sweep);
    find_mesh();
    result_.needed = result_.program;
    for (std::size_t s = 0; s < needed_.size(); ++s) result_.needed.sweeps[s].reads = needed_[s];
    write();
    return result_;
  }

 private:
  const Variable& variable(const std::string& name) const {
    const auto& all = program_.region.variables;
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const Variable& v) { return v.name == name; });
    if (found == all.end()) {
      throw Error(program_.region.file, "'" + name + "' has two declarations",
                  "give variables different names");
    }
    return *found;
  }

  // The statements are written out as they stand.
  void check_text() const {
    const program::Region& region = program_.region;
    if (!region.no_code.empty())
      throw Error(region.file, "no stencil: " + region.no_code,
                  "write elements as A[i][j] and choices as ?:");
    for (const Variable& v : region.variables) {
      const auto array = program_.arrays.find(v.name);
      if (v.array && array != program_.arrays.end() &&
          array->second.dimensions != static_cast<int>(v.extents.size()))
        throw Error(region.file, "no stencil: rows of '" + v.name + "' stand in one line",
                    "declare it with all its dimensions, as A[X][Y]");
    }
  }

  // Whether an array's extents depend on it.
  bool is_in_extents(const std::string& name) const {
    for (const Variable& v : program_.region.variables) {
      for (const isl::pw_aff& extent : v.extents) {
        if (!is_unknown(extent) &&
            isl_pw_aff_find_dim_by_name(extent.get(), isl_dim_param, name.c_str()) >= 0)
          return true;
      }
    }
    return false;
  }

  // Integers have values, and nothing else but scalars has.
  void check_sizes() const {
    for (const auto& [name, value] : sizes_) {
      const auto& all = program_.region.variables;
      const bool known = std::any_of(all.begin(), all.end(), [&name = name](const Variable& v) {
        return v.name == name && !v.array && !v.inside;
      });
      if (!known && !contains(program_.parameters, name) && !is_in_extents(name)) {
        throw Error("--set " + name + "=" + std::to_string(value),
                    "no parameter of " + program_.name, "leave it out");
      }
    }
    for (const Variable& v : program_.region.variables) {
      if (v.array || v.inside || is_real(v.type) || sizes_.contains(v.name)) continue;
      throw Error("--set", "no size for " + v.name, "add " + v.name + "=100");
    }
  }

  void find_elements() {
    for (const auto* names : {&recognised_.fields, &recognised_.inputs}) {
      for (const std::string& name : *names) {
        const std::string& type = variable(name).type;
        if (!is_real(type) || (!result_.element.empty() && type != result_.element)) {
          throw Error(program_.region.file,
                      "no stencil: '" + name + "' is an array of " + type +
                          (result_.element.empty() ? "" : ", others of " + result_.element),
                      "let all arrays be of double, or all of float");
        }
        result_.element = type;
      }
    }
  }

  void find_extents() {
    for (const Sweep& sweep : recognised_.sweeps) {
      for (const auto* accesses : {&sweep.statement.writes, &sweep.statement.reads}) {
        for (const Access& access : *accesses) extend(sweep, access);
      }
    }
  }

  // Arrays are as large as declared, else as their elements in use take.
  void extend(const Sweep& sweep, const Access& access) {
    auto& extents = extents_[access.array];
    const std::vector<isl::pw_aff>& declared = variable(access.array).extents;
    const isl::set elements = access.elements.range();
    extents.resize(static_cast<std::size_t>(program_.arrays.at(access.array).dimensions), 0);
    for (std::size_t d = 0; d < extents.size(); ++d) {
      const Range used = sweeps::range_of(elements, static_cast<int>(d));
      const bool known = d < declared.size() && !is_unknown(declared[d]);
      const std::int64_t size = known ? sweeps::number(declared[d], sizes_) : used.end;
      if (used.begin < 0 || used.end > size) {
        throw Error(sweeps::no_stencil(program_, sweep.statement),
                    "'" + access.text + "' is outside of its array at these sizes",
                    "give larger ones");
      }
      extents[d] = std::max(extents[d], size);
    }
  }

  void add_arrays() {
    for (const std::string& name : recognised_.fields) {
      SourceField field{name, {1, 1, 1}, variable(name).inside};
      std::copy(extents_.at(name).begin(), extents_.at(name).end(), field.extents.begin());
      result_.fields.push_back(field);
    }
    for (const std::string& name : recognised_.inputs) {
      result_.inputs.push_back({name, extents_.at(name)});
      if (variable(name).inside)
        throw Error(program_.region.file, "no stencil: nobody sets '" + name + "'", "set it");
    }
    for (const Variable& v : program_.region.variables) {
      if (v.array || !is_real(v.type)) continue;
      result_.scalars.push_back(v.name);
      const auto given = sizes_.find(v.name);
      result_.scalar_values.push_back(given != sizes_.end() ? static_cast<double>(given->second)
                                                            : random_value(v.name));
    }
  }

  int field_number(const std::string& name) const {
    return static_cast<int>(std::find(recognised_.fields.begin(), recognised_.fields.end(), name) -
                            recognised_.fields.begin());
  }

  // What a sweep reads of each field, all accesses together.
  std::vector<StencilRead> reads_of(const Sweep& sweep) const {
    std::vector<StencilRead> reads;
    for (const Distance& d : sweep.reads) {
      const int field = field_number(d.array);
      auto read = std::find_if(reads.begin(), reads.end(),
                               [field](const StencilRead& r) { return r.field == field; });
      if (read == reads.end()) read = reads.insert(reads.end(), {field, {}, {}, true});
      int moved = 0;
      for (std::size_t j = 0; j < 3; ++j) {
        read->below[j] = std::max(read->below[j], -d.low[j]);
        read->above[j] = std::max(read->above[j], d.high[j]);
        if (d.low[j] != 0 || d.high[j] != 0) ++moved;
      }
      read->star = read->star && moved <= 1;
    }
    return reads;
  }

  // The largest stars and boxes around the point itself all of whose points are read.
  std::vector<StencilRead> needs_of(const Sweep& sweep) const {
    std::map<std::string, std::set<MeshIndex>> points;
    for (const Distance& d : sweep.reads) {
      if (d.always) points[d.array].insert(d.low);
    }
    std::vector<StencilRead> needs;
    for (const auto& [array, read] : points) {
      if (read.count({0, 0, 0}) == 0) continue;
      MeshIndex radius = {0, 0, 0};
      std::size_t inside = 1;  // points of the box of these radii
      for (std::size_t k = 0; k < 3; ++k) {
        MeshIndex before = {0, 0, 0}, behind = {0, 0, 0};
        do {
          radius[k] = behind[k];
          ++behind[k];
          --before[k];
        } while (read.count(before) != 0 && read.count(behind) != 0);
        inside *= static_cast<std::size_t>(2 * radius[k] + 1);
      }
      const auto count = static_cast<std::size_t>(
          std::count_if(read.begin(), read.end(), [&radius](const MeshIndex& x) {
            return std::abs(x[0]) <= radius[0] && std::abs(x[1]) <= radius[1] &&
                   std::abs(x[2]) <= radius[2];
          }));
      needs.push_back({field_number(array), radius, radius, count < inside});
    }
    return needs;
  }

  void add_sweep(const Sweep& sweep) {
    for (const MeshBox& box : sweep.boxes) {
      needed_.push_back(needs_of(sweep));
      result_.program.sweeps.push_back({field_number(sweep.array), box, reads_of(sweep)});
      result_.sweeps.push_back(
          {sweep.statement.line, sweep.statement.source, sweeps::flops_of(sweep.statement.source)});
    }
  }

  // The mesh holds all arrays and, around them, what hulls of distances reach.
  void find_mesh() {
    for (std::size_t j = 0; j < 3; ++j) {
      std::int64_t low = 0, high = 1;
      for (const SourceField& field : result_.fields) high = std::max(high, field.extents[j]);
      for (const StencilSweep& sweep : result_.program.sweeps) {
        for (const StencilRead& read : sweep.reads) {
          low = std::min(low, sweep.interior.begin[j] - read.below[j]);
          high = std::max(high, sweep.interior.end[j] + read.above[j]);
        }
      }
      result_.origin[j] = -low;
      result_.program.extents[j] = high - low;
      for (StencilSweep& sweep : result_.program.sweeps) {
        sweep.interior.begin[j] -= low;
        sweep.interior.end[j] -= low;
      }
    }
  }

  sweeps::Surroundings surroundings() const {
    sweeps::Surroundings around{
        result_.element,    {}, {}, extents_, result_.origin, recognised_.fields,
        recognised_.inputs, {}, {}};
    for (const Variable& v : program_.region.variables) {
      if (v.array || v.inside || is_real(v.type)) continue;
      around.integers.push_back("const " + v.type + " " + v.name + " = " +
                                std::to_string(sizes_.at(v.name)) + "; (void)" + v.name + ";");
    }
    for (std::size_t s = 0; s < result_.scalars.size(); ++s) {
      const Variable& v = variable(result_.scalars[s]);
      around.scalars.push_back("const " + v.type + " " + v.name + " = (" + v.type +
                               ")redblue_scalars[" + std::to_string(s) + "]; (void)" + v.name +
                               ";");
    }
    for (const SourceField& field : result_.fields) {
      if (field.local) around.local.push_back(field.name);
    }
    for (const Variable& v : program_.region.variables) {
      if (v.array && !v.inside && !contains(recognised_.fields, v.name) &&
          !contains(recognised_.inputs, v.name))
        around.unused.emplace(v.name, static_cast<int>(v.extents.size()));
    }
    return around;
  }

  void write() {
    const sweeps::Surroundings around = surroundings();
    result_.code =
        program_.region.text + sweeps::prelude() + sweeps::sequential_text(program_, around);
    int number = 0;
    for (const Sweep& sweep : recognised_.sweeps) {
      for (std::size_t b = 0; b < sweep.boxes.size(); ++b) {
        result_.code += sweeps::sweep_text(program_, recognised_, sweep, number++, around);
      }
    }
  }

  Sizes sizes_;
  Program program_;
  Recognised recognised_;
  sweeps::Extents extents_;
  std::vector<std::vector<StencilRead>> needed_;  // per sweep
  StencilSource result_;
};

}  // namespace

StencilSource stencil_source(const BoundRequest& request) {
  return program::with_isl_errors_explained(request.file,
                                            [&request] { return Reader(request).source(); });
}

}  // namespace redblue
