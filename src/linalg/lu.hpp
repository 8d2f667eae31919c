// LU with tournament pivoting on a two-dimensional grid. Pivot rows are not exchanged but leave the
// rows that are still to be eliminated; what is left moves together within each rank.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "comm/transfer.hpp"
#include "decomposition/cyclic_classes.hpp"
#include "layout/arrangement.hpp"
#include "linalg/active_rows.hpp"
#include "linalg/delayed_updates.hpp"
#include "linalg/pivot_rows.hpp"
#include "redblue/factor.hpp"

namespace redblue::linalg {

// Rows of a panel that may become pivots, best first: numbers in the matrix, and their elements
// (column-major, `width` columns).
template <class T>
struct Candidates {
  std::vector<std::int64_t> rows;
  std::vector<T> values;
};

// The ranks of a panel choose min(width, rows) pivots: local candidates by partial pivoting, then
// over a butterfly, each time those that partial pivoting prefers among two ranks' candidates.
template <class T>
class Tournament {
 public:
  // `ranks`, in the communicator, of the panel's grid rows; this one stands at `place`.
  Tournament(std::vector<int> ranks, int place) : ranks_(std::move(ranks)), place_(place) {}

  // On all ranks of the panel: replaces the candidates of this rank by the pivots, and their
  // elements by L and U of their square.
  void run(const comm::Communicator& communicator, std::int64_t width, Candidates<T>& candidates,
           Traffic& traffic) const;

 private:
  void send(const comm::Communicator& communicator, int place, std::int64_t width,
            const Candidates<T>& candidates, std::vector<T>& buffer,
            std::vector<MPI_Request>& pending, Traffic& traffic) const;
  Candidates<T> receive(const comm::Communicator& communicator, int place, std::int64_t width,
                        Traffic& traffic) const;

  std::vector<int> ranks_;
  int place_;
};

// Of rows with these numbers, whose `width` columns are `leading` apart, the `width` (or as many as
// there are) that partial pivoting chooses, in its order, with their own elements or, `factored`, L
// and U of their square.
template <class T>
Candidates<T> best_of(std::int64_t width, const std::vector<std::int64_t>& numbers, const T* values,
                      std::int64_t leading, bool factored);

// Row numbers in words of T, as they travel.
template <class T>
constexpr std::int64_t words_of_numbers(std::int64_t count) {
  constexpr auto word = static_cast<std::int64_t>(sizeof(T));
  return (count * static_cast<std::int64_t>(sizeof(std::int64_t)) + word - 1) / word;
}

// With one layer every rank of a grid adds to its block of the matrix what each step takes from it.
// With more, each layer has a grid, and a copy of the matrix that starts as zero but for its share
// of the rows; it takes its part of each step's pivots from that copy, and copies are added up
// where a panel or pivots' rows are needed.
template <class T>
class Lu {
 public:
  Lu(const LuDecomposition& decomposition, Rank me);

  // Where the matrix lies before, in the storage.
  static layout::Arrangement before(const LuDecomposition& decomposition, Rank me);
  std::int64_t storage() const { return storage_; }
  std::int64_t workspace() const { return workspace_; }

  // What this rank keeps of U, its rows and columns next to each other; of what lies below the
  // diagonal of that, some is overwritten.
  struct Upper {
    T* u = nullptr;
    std::int64_t leading = 1;
  };
  std::int64_t upper_storage() const { return upper_rows_ * across_; }
  std::int64_t upper_leading() const { return std::max<std::int64_t>(1, upper_rows_); }

  // Returns 0 or one plus the index of the first zero pivot, the same on all ranks; `pivots` are
  // the original rows that become rows 0, 1, ... .
  std::int64_t factor(const comm::Communicator& communicator, T* storage, const Upper& upper,
                      T* workspace, std::vector<std::int64_t>& pivots, Traffic& traffic);

  // After factor(): where L lies in the storage (rows of P A; the lower triangle of the
  // arrangement), and U in its own (the upper one). `order`: original rows, in their order in P A.
  static layout::Arrangement lower(const LuDecomposition& decomposition,
                                   const std::vector<std::int64_t>& order, Rank me);
  static layout::Arrangement upper(const LuDecomposition& decomposition, Rank me);
  // Where in the storage L's rows really are: by column of this rank, the row of the storage at
  // each position of lower(). Until the next call.
  std::vector<const std::int64_t*> lower_places(const std::vector<std::int64_t>& order);

 private:
  // Of a step whose panel this rank shares: the rows it owns of it, in the order of storage, and,
  // later, places as of lower_places().
  struct Panel {
    std::int64_t step = 0;
    std::vector<std::int64_t> rows, places;
  };
  // One step as this rank sees it.
  struct Step {
    std::int64_t number, width;
    bool panel;             // this rank shares the panel
    int column;             // of the grid, that does
    std::int64_t at;        // the panel's first column in storage, where it does
    std::int64_t trailing;  // first column after the panel
    std::int64_t across;    // columns after the panel
  };

  // L and U of a step, whose product is subtracted: L in the order the rows had then.
  struct Factors {
    std::int64_t pivots = 0;
    std::vector<ActiveRows::Span> rows;
    std::vector<blas::Factor<T>> lower;  // of each span
    std::int64_t first = 0;              // column with which `upper` begins
    blas::Factor<T> upper;
  };
  struct Buffers {
    std::array<T*, 2> messages;
    T *others, *copies;  // other layers' rows of L, of this step; and of the next panel's sums
    T *delayed, *rows;

    T* message(std::int64_t step) const { return messages[static_cast<std::size_t>(step % 2)]; }
  };

  // Classes of rows, as ranks own them; every grid row of each layer has one.
  static CyclicClasses row_classes(const LuDecomposition& d) {
    return {d.m, d.block, d.grid_rows * d.layers};
  }
  Buffers cut(T* workspace) const;
  Step step(std::int64_t number) const;
  bool takes_part() const { return me_ < rows_.classes * columns_.classes; }
  int layer() const { return my_row_ / grid_rows_; }
  int layers() const { return rows_.classes / grid_rows_; }
  Range chunk(const Step& s, int layer) const {
    return PivotRows<T>::chunk(s.width, layer, layers());
  }
  // Ranks by the class of rows they own and the column of the grid. Of this rank's row of the grid:
  int rank_at(int row, int column) const { return row * columns_.classes + column; }
  int rank_of_layer(int layer, int column) const {
    return rank_at(my_row_ % grid_rows_ + layer * grid_rows_, column);
  }
  // The numbers and L of the square that come before a message's rows of L.
  static std::int64_t head(const Step& s) {
    return words_of_numbers<T>(s.width) + s.width * (s.width + 1) / 2;
  }
  // Those that are posted in a step; done before the next but one begins.
  std::vector<MPI_Request>& sends(const Step& s) {
    return sends_[static_cast<std::size_t>(s.number % 2)];
  }
  void clear_copies(T* storage) const;
  void add_up_panel(const comm::Communicator& communicator, const Step& s, T* a, T* copies,
                    Traffic& traffic);
  void find_pivots(const comm::Communicator& communicator, const Step& s, const T* a,
                   Traffic& traffic);
  void make_panel(const Step& s, T* a, T* message);
  void send_panel(const comm::Communicator& communicator, const Step& s, const T* message,
                  Traffic& traffic);
  void offer_panel(const comm::Communicator& communicator, const Step& s, T* a, const Buffers& b,
                   Traffic& traffic);
  void receive_head(const comm::Communicator& communicator, const Step& s, T* message,
                    Traffic& traffic);
  void receive_layers(const comm::Communicator& communicator, const Step& s, T* received,
                      Traffic& traffic);
  Factors factors(const Step& s, const Buffers& b, const UpperRows<T>& upper) const;
  void subtract(const Factors& f, std::int64_t first, std::int64_t columns, T* a) const;
  void update(const comm::Communicator& communicator, const Step& s, const Factors& f, T* a,
              const Buffers& b, Traffic& traffic);
  void store_upper(const Step& s, const T* rows, const Upper& upper) const;

  int me_, my_row_, my_column_;  // my_row_: the class of rows this rank owns
  int grid_rows_;                // of a layer
  CyclicClasses rows_, columns_, panels_;
  std::int64_t across_ = 0;      // columns of this rank
  std::int64_t upper_rows_ = 0;  // and its rows of U
  std::int64_t storage_ = 0;
  std::int64_t message_words_ = 0;
  std::int64_t others_words_ = 0;  // of buffers
  std::int64_t copies_words_ = 0;
  std::int64_t workspace_ = 0;

  ActiveRows active_;
  DelayedUpdates<T> delayed_;
  PivotRows<T> pivot_rows_;
  std::vector<std::int64_t> pivots_;  // of the current step
  std::vector<T> square_;             // likewise; off the panel its lower triangle
  std::vector<Panel> kept_;
  std::vector<MPI_Request> receives_;
  std::array<std::vector<MPI_Request>, 2> sends_;
};

// The factorization of a matrix in the caller's layout.
template <class T>
class PlacedLu {
 public:
  // Local. `lies`: where the matrix does.
  PlacedLu(const comm::Communicator& communicator, layout::Arrangement lies,
           const FactorOptions& options);

  const LuDecomposition& decomposition() const { return decomposition_; }
  std::int64_t workspace() const { return lu_.storage() + upper_words_ + buffers_; }

  // Returns LAPACK's info and sets the pivots of LuPlan, on all ranks.
  std::int64_t execute(comm::Communicator& communicator, T* a, T* workspace,
                       std::vector<std::int64_t>& pivots, FactorTraffic& traffic);

 private:
  void move_lower(comm::Communicator& communicator, const std::vector<std::int64_t>& order,
                  const T* from, T* to, T* buffers, Traffic& traffic);

  layout::Arrangement lies_;
  LuDecomposition decomposition_;
  Lu<T> lu_;
  std::vector<comm::Transfer<T>> moves_;      // in, and U out
  std::optional<layout::Block> upper_stays_;  // in the caller's array, where that has it alike
  std::int64_t upper_words_ = 0;              // else
  std::int64_t buffers_ = 0;
};

}  // namespace redblue::linalg
