// The pivots' rows of one step of an LU factorization, brought to the ranks whose updates need
// them, as rows of U.
#pragma once

#include <cstdint>
#include <vector>

#include "comm/communicator.hpp"
#include "decomposition/ownership.hpp"
#include "decomposition/pivot_columns.hpp"
#include "linalg/active_rows.hpp"
#include "linalg/delayed_updates.hpp"

namespace redblue::linalg {

// One step as a rank sees it: the pivots and L and U of their square, the columns from `first` of
// the storage on, `across` of them.
template <class T>
struct PivotStep {
  const std::vector<std::int64_t>& pivots;
  const std::vector<T>& square;  // of order pivots.size(); below the diagonal only L counts
  std::int64_t first, across;
  int keeper;  // the class of rows with which the step's rows of U are stored
};

// Some rows of U: those from `begin` of the step on, `leading` words from column to column.
template <class T>
struct UpperRows {
  const T* rows;
  std::int64_t begin, leading;
};

// Among the ranks of a grid column. Sends of a step may still be under way in the next one.
template <class T>
class PivotRows {
 public:
  // `column`: its ranks, by the class of rows they own; this one's is `mine`. `layers`: classes
  // that share rows; each layer's updates need its part of the pivots.
  PivotRows(std::vector<int> column, int mine, int layers, std::int64_t block,
            std::int64_t columns);

  std::int64_t workspace() const { return buffers_.total; }

  // The pivots, in their order, of a layer.
  static Range chunk(std::int64_t width, int layer, int layers) {
    return round_of({0, width}, layer, layers);
  }

  // Takes the rows out of `a`, brings them up to date and closes their gaps; retire() has found
  // them. `parity` alternates from step to step. Gives at least this layer's rows of U, all where
  // they are stored.
  UpperRows<T> gather(const comm::Communicator& communicator, const ActiveRows& active,
                      const DelayedUpdates<T>& delayed, const PivotStep<T>& step, T* a, int parity,
                      T* workspace, std::vector<MPI_Request>& sends, Traffic& traffic);

 private:
  // The numbers in the step of the pivots that each grid row stores.
  using Shares = std::vector<std::vector<std::int64_t>>;

  // What a stage posts its messages with.
  struct Wire {
    const comm::Communicator& communicator;
    std::vector<MPI_Request>& sends;
    std::vector<MPI_Request>& receives;
    Traffic& traffic;

    void receive(int peer, int tag, T* to, std::int64_t words) const;
    void send(int peer, int tag, const T* from, std::vector<comm::Segment> segments) const;
  };

  struct Buffers {
    T *taken, *upper, *received;
    T *chunk, *slice, *parts;  // with layers only
  };
  Buffers cut(T* workspace, int parity) const;
  void take_out(const ActiveRows& active, const DelayedUpdates<T>& delayed,
                const PivotStep<T>& step, const std::vector<std::int64_t>& mine, T* a,
                T* taken) const;
  std::vector<const T*> swap_shares(const Wire& wire, const Shares& shares, const T* taken,
                                    std::int64_t across, bool slices, T* received) const;
  UpperRows<T> whole(const Wire& wire, const Shares& shares, const PivotStep<T>& step,
                     const Buffers& b) const;

  // With layers, in this order.
  T* add_up_copies(const Wire& wire, std::int64_t held, std::int64_t across,
                   const Buffers& b) const;
  void solve_slice(const Wire& wire, const Shares& shares, const PivotStep<T>& step, const T* taken,
                   const Buffers& b) const;
  void post_to_keeper(const Wire& wire, const PivotStep<T>& step, const Buffers& b) const;
  void spread_over_layers(const Wire& wire, const PivotStep<T>& step, const Buffers& b) const;
  void spread_in_layer(const Wire& wire, const PivotStep<T>& step, const Buffers& b) const;
  UpperRows<T> all_rows(const PivotStep<T>& step, const Buffers& b) const;

  int rank_at(int layer, int row) const {
    return column_[static_cast<std::size_t>(layer) * static_cast<std::size_t>(columns_.grid_rows) +
                   static_cast<std::size_t>(row)];
  }
  int layers() const { return columns_.layers; }
  Range chunk_of(const PivotStep<T>& step, int layer) const {
    return chunk(static_cast<std::int64_t>(step.pivots.size()), layer, layers());
  }
  Range own_slice(const PivotStep<T>& step) const {
    return columns_.slice(step.across, layer_, row_);
  }
  bool keeps(const PivotStep<T>& step) const {
    return step.keeper == layer_ * columns_.grid_rows + row_;
  }

  std::vector<int> column_;
  PivotColumns columns_;
  int layer_, row_;
  PivotColumns::Buffers buffers_;
  std::vector<MPI_Request> receives_;
};

}  // namespace redblue::linalg
