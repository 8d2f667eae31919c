// SPDX-License-Identifier: BSD-3-Clause
// One panel of a QR factorization in the grid column that has it.
#include <algorithm>
#include <complex>
#include <utility>

#include "comm/phases.hpp"
#include "linalg/blas/blas.hpp"
#include "linalg/blas/lapack.hpp"
#include "linalg/qr/qr.hpp"
#include "linalg/qr/triangles.hpp"

namespace redblue::linalg {

using comm::Communicator;
using comm::Message;

namespace {

enum Tag { rows_tag = 200, reduce_tag, guest_tag, top_tag, factors_tag, final_tag };

// rows x width from one place to another.
template <class T>
void copy_rows(std::int64_t rows, std::int64_t width, const T* from, std::int64_t leading, T* to,
               std::int64_t leading_to) {
  for (std::int64_t c = 0; c < width; ++c) std::copy_n(from + c * leading, rows, to + c * leading_to);
}

}  // namespace

template <class T>
struct Qr<T>::Panel {
  using W = QrWorkspace<T>;

  Panel(Qr& qr, const Communicator& communicator, const QrStep& step, const QrWorkspace<T>& w,
        Traffic& traffic)
      : qr_(qr),
        communicator_(communicator),
        s_(step),
        w_(w),
        traffic_(traffic),
        roles_(qr.steps_.roles(step.panel)),
        is_root_(roles_.root == qr.row_),
        member_(static_cast<int>(std::find(roles_.members.begin(), roles_.members.end(), qr.row_) -
                                 roles_.members.begin())),
        width_(step.width) {}

  void factor(T* a, std::int64_t leading) {
    const bool member = member_ < static_cast<int>(roles_.members.size());
    if (member || s_.rows > 0) stack_rows(a, leading);
    const bool alone = roles_.members.size() == 1 && roles_.givers.empty();
    if (member) {
      factor_rows();
      if (alone) {
        take_vectors();
      } else {
        reduce();
        share_top_rows();
      }
    }
    broadcast();
    if (member && !alone) make_vectors();
    return_rows(member);
    store_rows(a, leading);
  }

 private:
  T* square(typename W::Square number) const { return w_.square(number); }
  Rank rank_of(int row) const { return qr_.rank_at(row, qr_.column_); }
  Message words(int row, int tag, std::int64_t count) const {
    return Message::of<T>(rank_of(row), tag, {{0, count}});
  }
  std::int64_t tops() const { return static_cast<std::int64_t>(s_.tops.size()); }
  std::int64_t rows_of(int row) const { return qr_.steps_.rows_from(row, s_.panel.begin()); }
  void receive(T* to, int row, int tag, std::int64_t count) {
    std::vector<MPI_Request> arriving;
    communicator_.receive(to, words(row, tag, count), arriving, traffic_);
    Communicator::wait_briefly(arriving);
  }
  void send(const T* from, int row, int tag, std::int64_t count) {
    communicator_.send(from, words(row, tag, count), qr_.sends_, traffic_);
  }

  void stack_rows(const T* a, std::int64_t leading);
  void factor_rows();
  void take_vectors();
  void reduce();
  void exchange_triangles(int distance);
  void welcome_guest(int guest);
  void share_top_rows();
  void finish_top_rows();
  void broadcast();
  void form(std::int64_t first, std::int64_t rows, const T* x, const T* y, T* to) const;
  void make_vectors();
  void return_rows(bool member);
  void store_rows(T* a, std::int64_t leading);

  Qr& qr_;
  const Communicator& communicator_;
  const QrStep& s_;
  const QrWorkspace<T>& w_;
  Traffic& traffic_;
  QrRoles roles_;
  bool is_root_;
  int member_;  // number among the members; their count: none
  std::int64_t width_;
  std::int64_t stacked_ = 0;                // rows
  std::vector<std::int64_t> giver_begins_;  // in the stack
};

// The rank's own rows; behind them, at the root, those of ranks that have few.
template <class T>
void Qr<T>::Panel::stack_rows(const T* a, std::int64_t leading) {
  const comm::InPhase exchanges(comm::Phase::exchange);
  stacked_ = s_.rows;
  if (is_root_) {
    std::vector<MPI_Request> arriving;
    T* next = w_.received;
    for (const int giver : roles_.givers) {
      giver_begins_.push_back(stacked_);
      const std::int64_t rows = rows_of(giver);
      communicator_.receive(next, words(giver, rows_tag, rows * width_), arriving, traffic_);
      next += rows * width_;
      stacked_ += rows;
    }
    Communicator::wait(arriving);
    next = w_.received;
    for (std::size_t g = 0; g < roles_.givers.size(); ++g) {
      const std::int64_t rows = rows_of(roles_.givers[g]);
      copy_rows(rows, width_, next, rows, w_.stack + giver_begins_[g], stacked_);
      next += rows * width_;
    }
  }
  copy_rows(s_.rows, width_, a, leading, w_.stack, stacked_);
  if (std::find(roles_.givers.begin(), roles_.givers.end(), qr_.row_) != roles_.givers.end()) {
    send(w_.stack, roles_.root, rows_tag, s_.rows * width_);
  }
}

// R, T and V, with its ones and zeros, of the rows in the stack.
template <class T>
void Qr<T>::Panel::factor_rows() {
  T* const t = square(W::t_of_rows);
  T* const r = square(W::r);
  std::fill_n(t, width_ * width_, T(0));
  lapack::householder(stacked_, width_, w_.stack, stacked_, t, width_);
  for (std::int64_t c = 0; c < width_; ++c) {
    T* const v = w_.stack + c * stacked_;
    std::copy_n(v, c + 1, r + c * width_);
    std::fill_n(r + c * width_ + c + 1, width_ - c - 1, T(0));
    std::fill_n(v, c, T(0));
    v[c] = T(1);
  }
}

// One rank's vectors are the panel's.
template <class T>
void Qr<T>::Panel::take_vectors() {
  std::copy_n(square(W::t_of_rows), width_ * width_, square(W::t));
  copy_rows(s_.rows, width_, w_.stack, stacked_, w_.vectors, s_.rows);
  const T* const r = square(W::r);
  for (std::int64_t c = 0; c < width_; ++c) {
    for (std::int64_t i = 0; i < width_; ++i) {
      square(W::own_tops)[i + c * width_] =
          i <= c ? r[i + c * width_] : w_.stack[i + c * stacked_];
    }
  }
  std::fill_n(square(W::u), width_ * width_, T(0));
}

// [R; R of the guest] = [first; guest] R': the guest will be told what its rows are multiplied by.
template <class T>
void Qr<T>::Panel::welcome_guest(int guest) {
  receive(square(W::packed), guest, guest_tag, triangle_words(width_));
  unpack_upper(width_, square(W::packed), square(W::other));
  combine(width_, square(W::r), square(W::other), square(W::first), square(W::guest),
          square(W::scratch));
}

// With the partner at this distance; m is multiplied by this member's block.
template <class T>
void Qr<T>::Panel::exchange_triangles(int distance) {
  const bool upper = (member_ & distance) == 0;
  const int partner = roles_.members[static_cast<std::size_t>(member_ ^ distance)];
  const std::int64_t triangle = triangle_words(width_);
  pack_upper(width_, square(W::r), width_, square(W::sent));
  std::vector<MPI_Request> pending;
  communicator_.receive(square(W::packed), words(partner, reduce_tag, triangle), pending, traffic_);
  communicator_.send(square(W::sent), words(partner, reduce_tag, triangle), pending, traffic_);
  Communicator::wait_briefly(pending);
  T* const other = square(W::other);
  unpack_upper(width_, square(W::packed), other);
  T* const r = square(W::r);
  if (!upper) std::swap_ranges(r, r + width_ * width_, other);
  combine(width_, r, other, square(W::top), square(W::bottom), square(W::scratch));
  multiply(width_, square(W::m), square(upper ? W::top : W::bottom), square(W::scratch));
}

// R of all rows, on all members but guests, and what each one's rows of Q are multiplied by.
template <class T>
void Qr<T>::Panel::reduce() {
  const comm::InPhase reduces(comm::Phase::reduce);
  const auto members = static_cast<int>(roles_.members.size());
  const int size = butterfly_size(members);
  const std::int64_t triangle = triangle_words(width_);
  T* const m = square(W::m);
  if (member_ >= size) {
    const int host = roles_.members[static_cast<std::size_t>(member_ - size)];
    pack_upper(width_, square(W::r), width_, square(W::sent));
    send(square(W::sent), host, guest_tag, triangle);
    receive(square(W::packed), host, guest_tag, triangle);
    unpack_upper(width_, square(W::packed), m);
    return;
  }
  const bool has_guest = member_ + size < members;
  const int guest = has_guest ? roles_.members[static_cast<std::size_t>(member_ + size)] : -1;
  if (has_guest) welcome_guest(guest);
  std::fill_n(m, width_ * width_, T(0));
  for (std::int64_t c = 0; c < width_; ++c) m[c * (width_ + 1)] = T(1);
  for (int distance = 1; distance < size; distance *= 2) exchange_triangles(distance);
  if (!has_guest) return;
  multiply(width_, square(W::guest), m, square(W::scratch));
  T* const sent = square(W::sent) + triangle;
  pack_upper(width_, square(W::guest), width_, sent);
  send(sent, guest, guest_tag, triangle);
  multiply(width_, square(W::first), m, square(W::scratch));
  std::copy_n(square(W::first), width_ * width_, m);
}

// to = X - V Y for rows of the stack, X's rows those of the whole stack's first.
template <class T>
void Qr<T>::Panel::form(std::int64_t first, std::int64_t rows, const T* x, const T* y,
                        T* to) const {
  blas::gemm(rows, width_, width_, T(-1), {w_.stack + first, stacked_}, {y, width_}, T(0), to,
             rows);
  const std::int64_t with_x = std::min(rows, width_ - first);
  for (std::int64_t c = 0; c < width_; ++c) {
    for (std::int64_t i = 0; i < with_x; ++i) to[i + c * rows] += x[first + i + c * width_];
  }
}

// The first rows of Q, as many as it has columns, come to the root, which reconstructs.
template <class T>
void Qr<T>::Panel::share_top_rows() {
  T* const z = square(W::z);  // T V1^H M
  T* const scratch = square(W::scratch);
  blas::gemm(width_, width_, width_, T(1), {w_.stack, stacked_, 'C'}, {square(W::m), width_}, T(0),
             scratch, width_);
  blas::gemm(width_, width_, width_, T(1), {square(W::t_of_rows), width_}, {scratch, width_}, T(0),
             z, width_);
  T* const own = square(W::tops_sent);
  if (tops() > 0) form(0, tops(), square(W::m), z, own);
  if (!is_root_) {
    if (tops() > 0) send(own, roles_.root, top_tag, tops() * width_);
    return;
  }
  T* const q = square(W::final_rows);
  const auto place = [&](const std::vector<std::int64_t>& rows, const T* from) {
    const auto count = static_cast<std::int64_t>(rows.size());
    for (std::int64_t c = 0; c < width_; ++c) {
      for (std::int64_t i = 0; i < count; ++i) {
        q[rows[static_cast<std::size_t>(i)] + c * width_] = from[i + c * count];
      }
    }
  };
  place(s_.tops, own);
  for (std::size_t g = 0; g < roles_.givers.size(); ++g) {
    const std::vector<std::int64_t> rows = qr_.steps_.top_rows(s_.panel, roles_.givers[g]);
    if (rows.empty()) continue;
    form(giver_begins_[g], static_cast<std::int64_t>(rows.size()), square(W::m), z, own);
    place(rows, own);
  }
  for (std::size_t i = 1; i < roles_.members.size(); ++i) {
    const int row = roles_.members[i];
    const std::vector<std::int64_t> rows = qr_.steps_.top_rows(s_.panel, row);
    if (rows.empty()) continue;
    receive(own, row, top_tag, static_cast<std::int64_t>(rows.size()) * width_);
    place(rows, own);
  }
  finish_top_rows();
}

// Q(K, :) - S = L U; the matrix's rows there become S R and L.
template <class T>
void Qr<T>::Panel::finish_top_rows() {
  T* const q = square(W::final_rows);
  T* const u = square(W::u);
  const T* const r = square(W::r);
  std::vector<int> signs;
  reconstruct(width_, q, signs, square(W::t));
  for (std::int64_t c = 0; c < width_; ++c) {
    for (std::int64_t i = 0; i < width_; ++i) {
      const std::int64_t at = i + c * width_;
      u[at] = i <= c ? q[at] : T(0);
      if (i <= c) q[at] = signs[static_cast<std::size_t>(i)] > 0 ? r[at] : -r[at];
    }
  }
}

// U and T, from the root along a tree of the grid column.
template <class T>
void Qr<T>::Panel::broadcast() {
  const comm::InPhase exchanges(comm::Phase::exchange);
  const auto places = static_cast<int>(roles_.order.size());
  if (places == 1) return;
  const auto place =
      static_cast<int>(std::find(roles_.order.begin(), roles_.order.end(), qr_.row_) -
                       roles_.order.begin());
  const std::int64_t triangle = triangle_words(width_);
  T* const both = square(W::packed);
  if (place == 0) {
    pack_upper(width_, square(W::t), width_, pack_upper(width_, square(W::u), width_, both));
  } else {
    receive(both, roles_.order[static_cast<std::size_t>(broadcast_parent(place))], factors_tag,
            2 * triangle);
    unpack_upper(width_, both, square(W::u));
    unpack_upper(width_, both + triangle, square(W::t));
  }
  for (const int child : broadcast_children(place, places)) {
    send(both, roles_.order[static_cast<std::size_t>(child)], factors_tag, 2 * triangle);
  }
}

// V = (Q - S) U^-1, but for its first rows.
template <class T>
void Qr<T>::Panel::make_vectors() {
  T* const x = square(W::m);
  T* const y = square(W::z);
  for (T* const side : {x, y}) {
    lapack::solve({lapack::Side::right, 'U', 'N', false}, width_, width_, square(W::u), width_,
                  side, width_);
  }
  form(0, s_.rows, x, y, w_.vectors);
  T* next = w_.received;
  for (std::size_t g = 0; g < roles_.givers.size() && is_root_; ++g) {
    const std::int64_t rows = rows_of(roles_.givers[g]);
    form(giver_begins_[g], rows, x, y, next);
    next += rows * width_;
  }
}

// From the root to those who have them: all rows of givers, and the first rows.
template <class T>
void Qr<T>::Panel::return_rows(bool member) {
  const comm::InPhase exchanges(comm::Phase::exchange);
  T* const own = square(W::own_tops);
  const bool alone = roles_.members.size() == 1 && roles_.givers.empty();
  if (alone) return;
  if (!is_root_) {
    if (!member && s_.rows > 0) {
      receive(w_.vectors, roles_.root, final_tag, s_.rows * width_);
      copy_rows(tops(), width_, w_.vectors, s_.rows, own, tops());
    } else if (member && tops() > 0) {
      receive(own, roles_.root, final_tag, tops() * width_);
    }
    return;
  }
  const T* const rows_of_all = square(W::final_rows);
  const auto take = [&](const std::vector<std::int64_t>& rows, T* to, std::int64_t leading) {
    for (std::int64_t c = 0; c < width_; ++c) {
      for (std::size_t i = 0; i < rows.size(); ++i) {
        to[static_cast<std::int64_t>(i) + c * leading] = rows_of_all[rows[i] + c * width_];
      }
    }
  };
  take(s_.tops, own, tops());
  T* next = w_.received;
  for (const int giver : roles_.givers) {
    const std::int64_t rows = rows_of(giver);
    take(qr_.steps_.top_rows(s_.panel, giver), next, rows);
    send(next, giver, final_tag, rows * width_);
    next += rows * width_;
  }
  T* to = square(W::finals_sent);
  for (std::size_t i = 1; i < roles_.members.size(); ++i) {
    const std::vector<std::int64_t> rows = qr_.steps_.top_rows(s_.panel, roles_.members[i]);
    const auto count = static_cast<std::int64_t>(rows.size());
    if (count == 0) continue;
    take(rows, to, count);
    send(to, roles_.members[i], final_tag, count * width_);
    to += count * width_;
  }
}

// The panel's rows of R and V in A; V's ones and zeros.
template <class T>
void Qr<T>::Panel::store_rows(T* a, std::int64_t leading) {
  const T* const own = square(W::own_tops);
  for (std::int64_t c = 0; c < width_; ++c) {
    T* const v = w_.vectors + c * s_.rows;
    T* const to = a + c * leading;
    std::copy_n(v + tops(), s_.rows - tops(), to + tops());
    for (std::int64_t i = 0; i < tops(); ++i) {
      const std::int64_t row = s_.tops[static_cast<std::size_t>(i)];
      const T x = own[i + c * tops()];
      to[i] = x;
      v[i] = row > c ? x : row == c ? T(1) : T(0);
    }
  }
}

template <class T>
void Qr<T>::factor_panel(const Communicator& communicator, const QrStep& s, T* a,
                         std::int64_t leading, const QrWorkspace<T>& w, Traffic& traffic) {
  Panel(*this, communicator, s, w, traffic).factor(a, leading);
}

template void Qr<float>::factor_panel(const Communicator&, const QrStep&, float*, std::int64_t,
                                      const QrWorkspace<float>&, Traffic&);
template void Qr<double>::factor_panel(const Communicator&, const QrStep&, double*, std::int64_t,
                                       const QrWorkspace<double>&, Traffic&);
template void Qr<std::complex<float>>::factor_panel(const Communicator&, const QrStep&,
                                                    std::complex<float>*, std::int64_t,
                                                    const QrWorkspace<std::complex<float>>&,
                                                    Traffic&);
template void Qr<std::complex<double>>::factor_panel(const Communicator&, const QrStep&,
                                                     std::complex<double>*, std::int64_t,
                                                     const QrWorkspace<std::complex<double>>&,
                                                     Traffic&);

}  // namespace redblue::linalg
