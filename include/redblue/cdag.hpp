// SPDX-License-Identifier: BSD-3-Clause
// Computational DAGs as objects.
//
// A vertex is one value. An input is given in slow memory; every other vertex is computed from its
// operands. An output must end in slow memory. Vertices are numbered so that operands come first:
// a Graph has no cycle by construction. The games played on graphs stand in redblue/pebble.hpp.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "redblue/analysis.hpp"
#include "redblue/progress.hpp"

namespace redblue::cdag {

using Vertex = std::int32_t;

// ---------------------------------------------------------------- graphs

// Immutable; 4 bytes per edge and direction, about 20 bytes per vertex and 4 per coordinate.
class Graph {
 public:
  Vertex size() const { return static_cast<Vertex>(tags_.size()); }
  std::int64_t edges() const { return static_cast<std::int64_t>(operands_.size()); }

  std::span<const Vertex> operands(Vertex v) const { return row(operand_rows_, operands_, v); }
  std::span<const Vertex> readers(Vertex v) const { return row(reader_rows_, readers_, v); }
  bool input(Vertex v) const { return (tags_[index(v)] & input_tag) != 0; }
  bool output(Vertex v) const { return (tags_[index(v)] & output_tag) != 0; }
  Vertex inputs() const;   // how many
  Vertex outputs() const;  // how many
  std::int64_t most_operands() const;

  // "C(0,1,1)" for a vertex with coordinates, the name in the file for one that was read.
  std::string name(Vertex v) const;
  // Throws Error when no vertex has that name. O(size).
  Vertex find(const std::string& name) const;
  // Loop counters of the vertex, made by generators and programs; empty for graphs from files.
  std::span<const std::int32_t> coordinates(Vertex v) const;
  // Vertices of one family share a statement, an array or a role.
  const std::string& family(Vertex v) const { return families_[family_of_[index(v)]]; }

  // The same graph with other tags.
  Graph retagged(const std::function<bool(Vertex)>& input,
                 const std::function<bool(Vertex)>& output) const;
  // The subgraph of the vertices kept; a kept vertex without kept operands is no input by that.
  // `old_of` receives, for each new vertex, the old one.
  Graph induced(const std::function<bool(Vertex)>& keep,
                std::vector<Vertex>* old_of = nullptr) const;

 private:
  friend class Builder;
  static constexpr std::uint8_t input_tag = 1;
  static constexpr std::uint8_t output_tag = 2;
  static std::size_t index(Vertex v) { return static_cast<std::size_t>(v); }
  static std::span<const Vertex> row(const std::vector<std::uint32_t>& rows,
                                     const std::vector<Vertex>& list, Vertex v) {
    return {list.data() + rows[index(v)], rows[index(v) + 1] - rows[index(v)]};
  }

  std::vector<std::uint32_t> operand_rows_, reader_rows_;
  std::vector<Vertex> operands_, readers_;
  std::vector<std::uint8_t> tags_;
  std::vector<std::uint16_t> family_of_;
  std::vector<std::string> families_;
  std::vector<std::int32_t> coordinates_;  // `dimensions_` per vertex
  std::size_t dimensions_ = 0;
  std::vector<std::string> names_;  // of graphs from files
};

// Makes a Graph vertex by vertex, operands first.
class Builder {
 public:
  explicit Builder(std::size_t dimensions = 0);

  std::uint16_t family(const std::string& name);  // at most 65,536
  // Returns the new vertex. Repeated operands count once. Missing coordinates are 0.
  Vertex input(std::uint16_t family, std::span<const std::int32_t> coordinates);
  Vertex compute(std::span<const Vertex> operands, std::uint16_t family,
                 std::span<const std::int32_t> coordinates);
  Vertex named(std::span<const Vertex> operands, const std::string& name);
  void tag(Vertex v, bool input, bool output);
  void output(Vertex v, bool is = true) { tag(v, graph_.input(v), is); }

  // Marks every computed vertex without readers as an output, unless told otherwise.
  Graph finish(bool outputs_are_sinks = true);

 private:
  friend class Graph;
  Vertex add(std::span<const Vertex> operands, std::uint8_t tag, std::uint16_t family,
             std::span<const std::int32_t> coordinates);
  Graph graph_;
};

// A graph by description. Generators (sizes are whole numbers):
//   matmul:M,N,K      C(i,j,k) from A(i,k), B(k,j), C(i,j,k-1); no C at the start
//   lu:N  cholesky:N  trsv:N        in-place factorisations and a triangular solve, by element
//   fft:N             butterflies, N a power of two
//   stencil:T,N,...   T steps on a grid of N x ... (d = 1 to 4), neighbours to distance 1 along
//                     the axes; stencil:T,N,...:box for all of the box, stencil:T,N,...:rR, :boxR
//                     for radius R
//   cg:T,N,D  gmres:M,N,D           T iterations on a grid of N^D, reductions as single vertices
//   tree:N,A          reduction of N leaves by A at a time
//   diamond:R,C       v(i,j) from v(i-1,j), v(i,j-1)
//   pyramid:H         H + 1 inputs at the bottom
//   random:N,D,SEED   N vertices of up to D operands each
// Files: *.dot, *.gv (Graphviz; tag="input", "output", "input,output" or "none" on a node), *.edges
// (lines "u v" for an edge, "input u", "output v"; # starts a comment) and *.hdag (HyperDAG_DB's
// format, versions 1 and up: a hyperedge leads from its first pin to the others; weights are not
// read). Where a file has no tag, sources are inputs and sinks are outputs.
// Throws Error for unknown generators, bad sizes, unreadable files ("FILE:LINE: reason") and
// cycles (which it names).
Graph make_graph(const std::string& description);
// The graph of a C loop nest (redblue/analysis.hpp says what is read) at request.sizes: one vertex
// per statement instance, operands by exact data flow. Reads on one branch of a data-dependent
// choice are left out, as they may not happen. At most 50,000,000 vertices.
Graph source_graph(const BoundRequest& request, const ProgressCallback& progress = {});

// Graphviz text. `red`, `blue`: vertices with such a pebble, drawn filled or ringed.
struct Pebbles {
  std::vector<bool> red, blue;
};
std::string to_dot(const Graph& graph, const Pebbles& pebbles = {});
// A picture (SVG), laid out by Graphviz; for graphs of some hundred vertices.
std::string to_svg(const Graph& graph, const Pebbles& pebbles = {});
std::string to_edges(const Graph& graph);
// Any Graphviz text as such a picture.
std::string drawn(const std::string& dot);

}  // namespace redblue::cdag
