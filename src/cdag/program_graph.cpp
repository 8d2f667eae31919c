// SPDX-License-Identifier: BSD-3-Clause
#include "cdag/program_graph.hpp"

#include <isl/map.h>
#include <isl/set.h>

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

#include "cdag/time_order.hpp"
#include "frontend/read.hpp"
#include "program/instances.hpp"
#include "program/isl_errors.hpp"
#include "program/touched.hpp"
#include "redblue/error.hpp"

namespace redblue::cdag {

namespace {

using program::Access;
using program::Coordinates;
using program::Program;
using program::Sizes;
using program::Statement;

// Instances of all statements, statement by statement: which, and where.
struct Instances {
  std::vector<std::uint16_t> statement;
  std::vector<std::int32_t> where;  // `width` per instance
  std::size_t width = 0;

  std::size_t size() const { return statement.size(); }
  // The counters of the statement's loops; 0 where it has fewer than others.
  std::span<const std::int32_t> at(std::size_t i) const {
    return std::span(where).subspan(i * width, width);
  }
};

constexpr std::size_t between_reports = 1 << 16;

std::int32_t narrow(std::int64_t coordinate) {
  if (std::in_range<std::int32_t>(coordinate)) return static_cast<std::int32_t>(coordinate);
  throw Error("an iterator or subscript of " + std::to_string(coordinate),
              "graphs keep coordinates of 32 bits", "give smaller sizes");
}

Instances instances_of(const Program& program, const Sizes& sizes,
                       const ProgressCallback& progress) {
  Instances all;
  for (const Statement& s : program.statements) all.width = std::max(all.width, s.iterators.size());
  for (std::size_t s = 0; s < program.statements.size(); ++s) {
    program::for_each_point(program.statements[s].domain, sizes, [&](Coordinates x) {
      if (all.size() == static_cast<std::size_t>(most_instances)) {
        throw Error("the graph of " + program.name, "more than 50,000,000 vertices",
                    "give smaller sizes");
      }
      if (progress && all.size() % between_reports == 0) {
        progress({static_cast<double>(all.size()), 0, "instances"});
      }
      all.statement.push_back(static_cast<std::uint16_t>(s));
      for (const std::int64_t c : x) all.where.push_back(narrow(c));
      all.where.resize(all.size() * all.width, 0);
    });
  }
  return all;
}

std::vector<std::uint32_t> in_order(const Program& program, const Sizes& sizes,
                                    const Instances& all) {
  std::vector<program::Function> schedules;
  std::size_t length = 0;
  for (const Statement& s : program.statements) {
    schedules.emplace_back(s.schedule, sizes);
    length = std::max(length, static_cast<std::size_t>(isl_map_dim(s.schedule.get(), isl_dim_out)));
  }
  std::vector<std::int64_t> x;
  return in_order_of_time(static_cast<std::uint32_t>(all.size()), "the graph of " + program.name,
                          [&](std::uint32_t i, std::vector<std::int64_t>& time) {
                            const std::size_t s = all.statement[i];
                            const auto where =
                                all.at(i).first(program.statements[s].iterators.size());
                            x.assign(where.begin(), where.end());
                            schedules[s].inside(x, time);
                            time.resize(length, 0);
                          });
}

// The newest value of every element of an array.
class Elements {
 public:
  // `most`: the elements of the largest box that is worth its memory.
  Elements(const std::vector<Range>& touched, double most) : box_(touched) {
    double elements = 1;
    for (const Range& range : box_)
      elements *= range.size() > 0 ? static_cast<double>(range.size()) : most + 1;
    if (elements <= most) in_box_.assign(static_cast<std::size_t>(elements), -1);
  }

  Vertex& newest(const std::vector<std::int64_t>& subscripts) {
    std::size_t at = 0;
    bool inside = !in_box_.empty();
    for (std::size_t d = 0; inside && d < box_.size(); ++d) {
      inside = box_[d].begin <= subscripts[d] && subscripts[d] < box_[d].end;
      at = at * static_cast<std::size_t>(box_[d].size()) +
           static_cast<std::size_t>(subscripts[d] - box_[d].begin);
    }
    return inside ? in_box_[at] : elsewhere_.try_emplace(subscripts, -1).first->second;
  }

 private:
  struct Hash {
    std::size_t operator()(const std::vector<std::int64_t>& key) const {
      std::uint64_t h = 0;
      for (const std::int64_t k : key) {
        h = (h ^ static_cast<std::uint64_t>(k)) * 0x9e3779b97f4a7c15U;
        h ^= h >> 29U;
      }
      return h;
    }
  };
  std::vector<Range> box_;  // of the subscripts that the program has
  std::vector<Vertex> in_box_;
  std::unordered_map<std::vector<std::int64_t>, Vertex, Hash>
      elsewhere_;  // where the box is too large
};

struct Reference {
  std::size_t array = 0;
  std::uint16_t family = 0;
  program::Function elements;
};

struct Code {
  std::uint16_t family = 0;
  std::size_t dimensions = 0;
  std::vector<Reference> reads;
  Reference write;
};

class Execution {
 public:
  Execution(const Program& program, const Sizes& sizes, std::size_t dimensions,
            std::size_t instances)
      : builder_(dimensions) {
    const double most_in_box = 2. * static_cast<double>(instances) + (1 << 16);
    for (const auto& [name, array] : program.arrays) {
      arrays_.push_back(name);
      elements_.emplace_back(program::touched(program, name, sizes), most_in_box);
      read_after_.emplace_back();
      if (array.read_after) {
        const isl::map same = isl::manage(isl_set_identity(array.read_after->copy()));
        read_after_.back().emplace(same, sizes);
      }
    }
    for (const Statement& s : program.statements) {
      Code code{
          builder_.family(s.name), s.iterators.size(), {}, reference(s.writes.front(), sizes)};
      for (const Access& read : s.reads) {
        if (!read.conditional) code.reads.push_back(reference(read, sizes));
      }
      codes_.push_back(std::move(code));
    }
  }

  void run(std::size_t statement, std::span<const std::int32_t> where) {
    const Code& code = codes_[statement];
    where = where.first(code.dimensions);
    x_.assign(where.begin(), where.end());
    operands_.clear();
    for (const Reference& read : code.reads) {
      if (!read.elements.at(x_, subscripts_)) continue;
      Vertex& value = elements_[read.array].newest(subscripts_);
      if (value < 0) value = input(read.family);
      operands_.push_back(value);
    }
    code.write.elements.at(x_, subscripts_);
    Vertex& value = elements_[code.write.array].newest(subscripts_);
    const bool is_output = is_read_after(code.write.array);
    if (value >= 0 && is_output) builder_.output(value, false);
    value = builder_.compute(operands_, code.family, where);
    if (is_output) builder_.output(value);
  }

  Graph finish() { return builder_.finish(false); }

 private:
  Reference reference(const Access& access, const Sizes& sizes) {
    const auto array = static_cast<std::size_t>(
        std::find(arrays_.begin(), arrays_.end(), access.array) - arrays_.begin());
    return {array, builder_.family(access.array), program::Function(access.elements, sizes)};
  }
  // Both of the element in subscripts_.
  Vertex input(std::uint16_t family) {
    element_.clear();
    for (const std::int64_t s : subscripts_) element_.push_back(narrow(s));
    return builder_.input(family, element_);
  }
  bool is_read_after(std::size_t array) {
    return !read_after_[array] || read_after_[array]->at(subscripts_, same_);
  }

  Builder builder_;
  std::vector<std::string> arrays_;
  std::vector<std::optional<program::Function>> read_after_;  // nothing: all elements
  std::vector<Code> codes_;
  std::vector<Elements> elements_;  // by array
  std::vector<Vertex> operands_;
  std::vector<std::int64_t> x_, subscripts_, same_;
  std::vector<std::int32_t> element_;
};

}  // namespace

Graph program_graph(const Program& program, const Sizes& sizes, const ProgressCallback& progress) {
  const Instances all = instances_of(program, sizes, progress);
  std::size_t dimensions = all.width;
  for (const auto& [name, array] : program.arrays) {
    dimensions = std::max(dimensions, static_cast<std::size_t>(array.dimensions));
  }
  Execution execution(program, sizes, dimensions, all.size());
  std::size_t done = 0;
  for (const std::uint32_t i : in_order(program, sizes, all)) {
    // To list and sort the instances takes about as long as this.
    if (progress && done++ % between_reports == 0) {
      progress({static_cast<double>(all.size() + done), 2 * static_cast<double>(all.size())});
    }
    execution.run(all.statement[i], all.at(i));
  }
  return execution.finish();
}

Graph source_graph(const BoundRequest& request, const ProgressCallback& progress) {
  const std::string asked =
      "the graph of " + (request.einsum.empty() ? request.file : request.einsum);
  return program::with_isl_errors_explained(asked, [&] {
    const Program program = frontend::read(request);
    Sizes sizes = request.sizes;
    sizes.erase("S");
    program::check_parameters(program, sizes);
    program::require_at_most(program, sizes, most_instances);
    return program_graph(program, sizes, progress);
  });
}

}  // namespace redblue::cdag
