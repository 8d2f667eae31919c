// SPDX-License-Identifier: BSD-3-Clause
#include "cdag/program_graph.hpp"

#include <isl/map.h>
#include <isl/set.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <unordered_map>
#include <utility>

#include "frontend/read.hpp"
#include "program/instances.hpp"
#include "program/isl_errors.hpp"
#include "redblue/error.hpp"

namespace redblue::cdag {

namespace {

using program::Access;
using program::Coordinates;
using program::Program;
using program::Sizes;
using program::Statement;

// Instances of all statements: which, where, when.
struct Instances {
  std::vector<std::uint16_t> statement;
  std::vector<std::int64_t> where;  // `width` per instance
  std::vector<std::int64_t> when;   // `length` per instance
  std::size_t width = 0, length = 0;

  std::size_t size() const { return statement.size(); }
  Coordinates at(std::size_t i, std::size_t dimensions) const {
    return Coordinates(where).subspan(i * width, dimensions);
  }
};

constexpr std::size_t between_reports = 1 << 16;

Instances instances_of(const Program& program, const Sizes& sizes,
                       const ProgressCallback& progress) {
  Instances all;
  for (const Statement& s : program.statements) {
    all.width = std::max(all.width, s.iterators.size());
    all.length =
        std::max(all.length, static_cast<std::size_t>(isl_map_dim(s.schedule.get(), isl_dim_out)));
  }
  std::vector<std::int64_t> time;
  for (std::size_t s = 0; s < program.statements.size(); ++s) {
    const Statement& statement = program.statements[s];
    const program::Function schedule(statement.schedule, sizes);
    program::for_each_point(statement.domain, sizes, [&](Coordinates x) {
      if (all.size() == static_cast<std::size_t>(most_instances)) {
        throw Error("the graph of " + program.name, "more than 50,000,000 vertices",
                    "give smaller sizes");
      }
      if (progress && all.size() % between_reports == 0) {
        progress({static_cast<double>(all.size()), 0, "instances"});
      }
      schedule.at(x, time);
      all.statement.push_back(static_cast<std::uint16_t>(s));
      all.where.insert(all.where.end(), x.begin(), x.end());
      all.where.resize(all.size() * all.width, 0);
      all.when.insert(all.when.end(), time.begin(), time.end());
      all.when.resize(all.size() * all.length, 0);
    });
  }
  return all;
}

std::vector<std::size_t> in_order(const Instances& all) {
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&all](std::size_t a, std::size_t b) {
    const auto x = all.when.begin() + static_cast<std::ptrdiff_t>(a * all.length);
    const auto y = all.when.begin() + static_cast<std::ptrdiff_t>(b * all.length);
    const auto n = static_cast<std::ptrdiff_t>(all.length);
    return std::lexicographical_compare(x, x + n, y, y + n);
  });
  return order;
}

// The newest value of every array element.
class Elements {
 public:
  Vertex& newest(std::size_t array, const std::vector<std::int64_t>& subscripts) {
    key_.assign(1, static_cast<std::int64_t>(array));
    key_.insert(key_.end(), subscripts.begin(), subscripts.end());
    return newest_.try_emplace(key_, -1).first->second;
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
  std::unordered_map<std::vector<std::int64_t>, Vertex, Hash> newest_;
  std::vector<std::int64_t> key_;
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

std::vector<std::int32_t> narrow(Coordinates x) {
  std::vector<std::int32_t> result;
  for (const std::int64_t c : x) {
    if (!std::in_range<std::int32_t>(c)) {
      throw Error("an iterator or subscript of " + std::to_string(c),
                  "graphs keep coordinates of 32 bits", "give smaller sizes");
    }
    result.push_back(static_cast<std::int32_t>(c));
  }
  return result;
}

class Execution {
 public:
  Execution(const Program& program, const Sizes& sizes, std::size_t dimensions)
      : builder_(dimensions) {
    for (const auto& [name, array] : program.arrays) {
      arrays_.push_back(name);
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

  void run(std::size_t statement, Coordinates x) {
    const Code& code = codes_[statement];
    operands_.clear();
    for (const Reference& read : code.reads) {
      if (!read.elements.at(x.first(code.dimensions), subscripts_)) continue;
      Vertex& value = elements_.newest(read.array, subscripts_);
      if (value < 0) value = builder_.input(read.family, narrow(subscripts_));
      operands_.push_back(value);
    }
    code.write.elements.at(x.first(code.dimensions), subscripts_);
    Vertex& value = elements_.newest(code.write.array, subscripts_);
    const bool is_output = is_read_after(code.write.array);
    if (value >= 0 && is_output) builder_.output(value, false);
    value = builder_.compute(operands_, code.family, narrow(x.first(code.dimensions)));
    if (is_output) builder_.output(value);
  }

  Graph finish() { return builder_.finish(false); }

 private:
  Reference reference(const Access& access, const Sizes& sizes) {
    const auto array = static_cast<std::size_t>(
        std::find(arrays_.begin(), arrays_.end(), access.array) - arrays_.begin());
    return {array, builder_.family(access.array), program::Function(access.elements, sizes)};
  }
  // Of the element in subscripts_.
  bool is_read_after(std::size_t array) {
    return !read_after_[array] || read_after_[array]->at(subscripts_, same_);
  }

  Builder builder_;
  std::vector<std::string> arrays_;
  std::vector<std::optional<program::Function>> read_after_;  // nothing: all elements
  std::vector<Code> codes_;
  Elements elements_;
  std::vector<Vertex> operands_;
  std::vector<std::int64_t> subscripts_, same_;
};

}  // namespace

Graph program_graph(const Program& program, const Sizes& sizes, const ProgressCallback& progress) {
  const Instances all = instances_of(program, sizes, progress);
  std::size_t dimensions = all.width;
  for (const auto& [name, array] : program.arrays) {
    dimensions = std::max(dimensions, static_cast<std::size_t>(array.dimensions));
  }
  Execution execution(program, sizes, dimensions);
  std::size_t done = 0;
  for (const std::size_t i : in_order(all)) {
    // To list and sort the instances takes about as long as this.
    if (progress && done++ % between_reports == 0) {
      progress({static_cast<double>(all.size() + done), 2 * static_cast<double>(all.size())});
    }
    execution.run(all.statement[i], all.at(i, all.width));
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
