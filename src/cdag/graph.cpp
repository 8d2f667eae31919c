// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <numeric>
#include <utility>

#include "redblue/cdag.hpp"
#include "redblue/error.hpp"

namespace redblue::cdag {

Vertex Graph::inputs() const {
  return static_cast<Vertex>(std::count_if(tags_.begin(), tags_.end(),
                                           [](std::uint8_t t) { return (t & input_tag) != 0; }));
}

Vertex Graph::outputs() const {
  return static_cast<Vertex>(std::count_if(tags_.begin(), tags_.end(),
                                           [](std::uint8_t t) { return (t & output_tag) != 0; }));
}

std::int64_t Graph::most_operands() const {
  std::size_t most = 0;
  for (Vertex v = 0; v < size(); ++v) most = std::max(most, operands(v).size());
  return static_cast<std::int64_t>(most);
}

std::span<const std::int32_t> Graph::coordinates(Vertex v) const {
  return {coordinates_.data() + index(v) * dimensions_, dimensions_};
}

std::string Graph::name(Vertex v) const {
  if (!names_.empty()) return names_[index(v)];
  std::string result = family(v);
  for (const std::int32_t c : coordinates(v)) {
    result += (result.size() == family(v).size() ? "(" : ",") + std::to_string(c);
  }
  return dimensions_ == 0 ? result : result + ")";
}

Vertex Graph::find(const std::string& wanted) const {
  for (Vertex v = 0; v < size(); ++v) {
    if (name(v) == wanted) return v;
  }
  throw Error("vertex '" + wanted + "'", "the graph has no vertex of that name",
              size() == 0 ? "" : "names look like '" + name(size() - 1) + "'");
}

Graph Graph::retagged(const std::function<bool(Vertex)>& is_input,
                      const std::function<bool(Vertex)>& is_output) const {
  Graph result = *this;
  for (Vertex v = 0; v < size(); ++v) {
    result.tags_[index(v)] =
        static_cast<std::uint8_t>((is_input(v) ? input_tag : 0) | (is_output(v) ? output_tag : 0));
  }
  return result;
}

Graph Graph::induced(const std::function<bool(Vertex)>& keep, std::vector<Vertex>* old_of) const {
  Builder builder(dimensions_);
  builder.graph_.families_ = families_;
  std::vector<Vertex> renumbered(index(size()), -1);
  std::vector<Vertex> kept;
  if (old_of != nullptr) old_of->clear();
  for (Vertex v = 0; v < size(); ++v) {
    if (!keep(v)) continue;
    kept.clear();
    for (const Vertex o : operands(v)) {
      if (renumbered[index(o)] >= 0) kept.push_back(renumbered[index(o)]);
    }
    renumbered[index(v)] = builder.add(kept, tags_[index(v)], family_of_[index(v)], coordinates(v));
    if (!names_.empty()) builder.graph_.names_.push_back(names_[index(v)]);
    if (old_of != nullptr) old_of->push_back(v);
  }
  return builder.finish(false);
}

Builder::Builder(std::size_t dimensions) {
  graph_.dimensions_ = dimensions;
  graph_.operand_rows_.push_back(0);
}

std::uint16_t Builder::family(const std::string& name) {
  const auto known = std::find(graph_.families_.begin(), graph_.families_.end(), name);
  if (known == graph_.families_.end()) graph_.families_.push_back(name);
  return static_cast<std::uint16_t>(
      std::find(graph_.families_.begin(), graph_.families_.end(), name) - graph_.families_.begin());
}

Vertex Builder::add(std::span<const Vertex> operands, std::uint8_t tag, std::uint16_t family,
                    std::span<const std::int32_t> coordinates) {
  const auto begin = static_cast<std::ptrdiff_t>(graph_.operands_.size());
  for (const Vertex o : operands) {
    const auto row = graph_.operands_.begin() + begin;
    if (std::find(row, graph_.operands_.end(), o) == graph_.operands_.end()) {
      graph_.operands_.push_back(o);
    }
  }
  if (!std::in_range<std::uint32_t>(graph_.operands_.size()) ||
      !std::in_range<Vertex>(graph_.tags_.size() + 1)) {
    throw Error("a graph of " + std::to_string(graph_.tags_.size()) + " vertices and more",
                "over 4,294,967,295 edges or 2,147,483,647 vertices", "give smaller sizes");
  }
  graph_.operand_rows_.push_back(static_cast<std::uint32_t>(graph_.operands_.size()));
  graph_.tags_.push_back(tag);
  graph_.family_of_.push_back(family);
  for (std::size_t d = 0; d < graph_.dimensions_; ++d) {
    graph_.coordinates_.push_back(d < coordinates.size() ? coordinates[d] : 0);
  }
  return graph_.size() - 1;
}

Vertex Builder::input(std::uint16_t family, std::span<const std::int32_t> coordinates) {
  return add({}, Graph::input_tag, family, coordinates);
}

Vertex Builder::compute(std::span<const Vertex> operands, std::uint16_t family,
                        std::span<const std::int32_t> coordinates) {
  return add(operands, 0, family, coordinates);
}

Vertex Builder::named(std::span<const Vertex> operands, const std::string& name) {
  graph_.names_.push_back(name);
  return add(operands, 0, family("v"), {});
}

void Builder::tag(Vertex v, bool input, bool output) {
  graph_.tags_[Graph::index(v)] =
      static_cast<std::uint8_t>((input ? Graph::input_tag : 0) | (output ? Graph::output_tag : 0));
}

Graph Builder::finish(bool outputs_are_sinks) {
  const std::size_t n = graph_.tags_.size();
  graph_.reader_rows_.assign(n + 1, 0);
  for (const Vertex o : graph_.operands_) ++graph_.reader_rows_[Graph::index(o) + 1];
  std::partial_sum(graph_.reader_rows_.begin(), graph_.reader_rows_.end(),
                   graph_.reader_rows_.begin());
  std::vector<std::uint32_t> next(graph_.reader_rows_.begin(), graph_.reader_rows_.end() - 1);
  graph_.readers_.resize(graph_.operands_.size());
  for (Vertex v = 0; v < graph_.size(); ++v) {
    for (const Vertex o : graph_.operands(v)) graph_.readers_[next[Graph::index(o)]++] = v;
  }
  if (outputs_are_sinks) {
    for (Vertex v = 0; v < graph_.size(); ++v) {
      if (graph_.readers(v).empty() && !graph_.input(v)) output(v);
    }
  }
  return std::move(graph_);
}

}  // namespace redblue::cdag
