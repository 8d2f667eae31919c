// Moving a matrix between two arrangements: every element goes from the rank that holds it to all
// ranks that want it (or from all that have a contribution to the rank that adds them up), at most
// once to each.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "comm/communicator.hpp"
#include "comm/window.hpp"
#include "layout/arrangement.hpp"

namespace redblue::comm {

struct TransferOptions {
  int tag = 0;
  bool conjugate = false;
  // Several ranks hold contributions to an element, or the target is not simply overwritten:
  // finish() adds. Else alpha must be 1 and beta 0.
  bool add = false;
  // Send from and receive into the matrices themselves through MPI datatypes instead of buffers;
  // contributions are received two at a time. Column-major arrangements only.
  bool lean = false;
  // Receivers read what senders have put into windows, instead of being sent it; `lean`, they read
  // it from the matrices (read_from), where no end stores conjugates of the other's.
  bool one_sided = false;
  // This rank's own share stands in the target already.
  bool own_in_place = false;
  // Of a column-major source whose rows do not stand where the arrangement says: by column, which
  // row of its array is at each position. Must live as long as the transfer.
  const std::vector<const std::int64_t*>* row_places = nullptr;
  // Of both arrangements only these elements are held or wanted.
  layout::Part part = layout::Part::all;
};

// The messages of one rank for one pair of arrangements, made once, without data. The elements of a
// message stand in an order both ends know: rectangle by rectangle, each line by line as the sender
// stores them, without gaps.
template <class T>
class Transfer {
 public:
  // O(ranks * patches + pieces of this rank's intersections). Local, one-sided: collective.
  Transfer(const Communicator& communicator, const layout::Arrangement& from,
           const layout::Arrangement& to, const TransferOptions& options);

  // Where `lean` and one-sided: the sources of all ranks, to be there from start() to finish().
  void read_from(Exposure& sources) { exposure_ = &sources; }

  // Words of the buffers execution needs.
  std::int64_t send_buffer() const { return send_words_; }
  std::int64_t receive_buffer() const { return receive_words_; }
  std::int64_t buffer() const { return send_words_ + receive_words_; }  // both, one after another

  // Posts receives and sends. Source, target and buffers must live until finish(). Allocates
  // nothing.
  void start(const Communicator& communicator, const T* source, T* target, T* send_buffer,
             T* receive_buffer, Traffic& count);

  // Completes the moves: target = beta * target + alpha * (what came). beta = 0 does not read the
  // target. Either every element of the target has a contribution or none has.
  void finish(const Communicator& communicator, T alpha, T beta, Traffic& count);

  // Both.
  void execute(const Communicator& communicator, T alpha, const T* source, T beta, T* target,
               T* buffer, Traffic& count) {
    start(communicator, source, target, buffer, buffer + send_words_, count);
    finish(communicator, alpha, beta, count);
  }

 private:
  // What two patches share: rectangle (i, j) is piece fast[i] along the sender's storage direction
  // times piece slow[j] across it.
  struct Product {
    std::vector<layout::Piece> fast, slow;
    std::int64_t from_offset, from_leading;
    std::int64_t to_offset, to_fast, to_slow;  // strides along the sender's directions
    bool down;                                 // the fast direction runs down the rows
    bool conjugated;                           // one end stores conjugates, the other does not
  };
  // Some of a product's elements: `fast` in pieces along the one direction, times `slow` next to
  // each other along the other, from these places on.
  struct Rectangle {
    const Product* product;
    std::span<const layout::Piece> pieces;
    std::int64_t fast;
    std::int64_t from_slow, to_slow, slow;
  };
  // Pieces come into one rectangle up to so many elements.
  static constexpr std::int64_t together = 512;
  enum class Packed { neither, from, to };
  struct Parcel {
    Message message;
    std::vector<Product> products;
    bool packed;
    std::int64_t buffer_offset;
  };

  std::vector<Product> products(const std::vector<layout::Patch>& from,
                                const std::vector<layout::Patch>& to) const;
  std::int64_t words(const std::vector<Product>& products) const;
  template <class F>
  void for_each_rectangle(const std::vector<Product>& products, F f) const;
  template <class F>
  void for_each_line_beside_diagonal(const Product& product, const layout::Piece& fast,
                                     const layout::Piece& slow, F f) const;
  bool reads_matrices() const { return options_.one_sided && options_.lean; }
  std::vector<Segment> direct_places(const std::vector<Product>& products, bool sends) const;
  void open_window(const Communicator& communicator);
  Parcel parcel(Rank peer, std::vector<Product> products, bool sends,
                std::int64_t buffer_offset) const;

  void post(const Communicator& communicator, Traffic& count);  // the next receive
  template <class Combine>
  void move(const Rectangle& r, const T* from, T* to, Packed packed, Combine combine) const;
  // Where elements of a rectangle stand along the fast direction, at both ends.
  struct Lists {
    std::array<std::int64_t, together> from, to;
  };
  // Of those from number `first` on; returns how many. `rows`: of options_.row_places, if any.
  std::int64_t list_places(const Rectangle& r, std::int64_t first, const std::int64_t* rows,
                           Packed packed, Lists& lists) const;
  void pack(const Parcel& parcel, T* buffer) const;
  template <class Combine>
  void unpack(const Parcel& parcel, Combine combine) const;
  template <class Combine>
  void copy_own(Combine combine) const;
  template <class Combine>
  void combine_all(const Communicator& communicator, Combine combine, Traffic& count);
  void scale_target(T beta) const;

  TransferOptions options_;
  std::vector<Parcel> outgoing_, incoming_;
  std::vector<Product> own_;
  std::vector<layout::Patch> target_patches_;
  bool once_ = true;       // exactly one contribution to each element of the target
  std::size_t slots_ = 0;  // receives under way at a time
  std::int64_t send_words_ = 0;
  std::int64_t receive_words_ = 0;

  std::optional<Window> window_;             // one-sided
  std::vector<std::int64_t> window_places_;  // of what each incoming parcel is in its sender's

  Exposure* exposure_ = nullptr;  // one-sided and lean
  std::vector<Message> there_;    // where in its sender's matrix each incoming parcel stands

  const T* source_ = nullptr;
  T* target_ = nullptr;
  T* receive_buffer_ = nullptr;
  std::vector<MPI_Request> sends_, receives_;
  std::size_t posted_ = 0;  // of the incoming parcels
};

}  // namespace redblue::comm
