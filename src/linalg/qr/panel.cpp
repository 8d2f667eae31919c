// SPDX-License-Identifier: BSD-3-Clause
// One panel of a QR factorization in the grid column that has it.
#include <algorithm>
#include <complex>
#include <utility>

#include "comm/phases.hpp"
#include "linalg/blas/blas.hpp"
#include "linalg/blas/copy_rows.hpp"
#include "linalg/blas/lapack.hpp"
#include "linalg/qr/qr.hpp"
#include "linalg/qr/triangles.hpp"

namespace redblue::linalg {

using comm::Communicator;
using comm::Message;

namespace {

enum Tag { rows_tag = 200, up_tag, down_tag, t_tag, final_tag };

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
        place_(static_cast<int>(std::find(roles_.members.begin(), roles_.members.end(), qr.row_) -
                                roles_.members.begin())),
        width_(step.width) {
    for (const QrGiver& g : roles_.givers) {
      if (g.row == qr.row_) given_ = g.rows;
    }
  }

  void factor(T* a, std::int64_t leading) {
    const bool member = place_ < static_cast<int>(roles_.members.size());
    stack_rows(a, leading);
    if (member) factor_rows();
    if (roles_.members.size() == 1 && roles_.givers.empty()) {
      if (member) take_vectors();
    } else if (member) {
      reduce();
      if (is_root_) {
        finish_top_rows();
      } else {
        receive(square(W::packed), parent(), down_tag, 2 * triangle_words(width_));
        unpack_upper(width_, square(W::packed), square(W::x));
        unpack_upper(width_, square(W::packed) + triangle_words(width_), t());
      }
      send_down();
      make_vectors();
    }
    share_t(member);
    return_rows();
    store_rows(a, leading);
  }

 private:
  T* square(std::int64_t number) const { return w_.square(number); }
  T* t() const { return w_.triangle(s_); }
  T* vectors() const { return w_.vectors_of(s_); }
  T* own_block(std::size_t child) const {
    return square(W::blocks + 2 * static_cast<std::int64_t>(child));
  }
  T* child_block(std::size_t child) const {
    return square(W::blocks + 2 * static_cast<std::int64_t>(child) + 1);
  }
  Message words(int row, int tag, std::int64_t count) const {
    return Message::of<T>(qr_.rank_at(row, qr_.column_), tag, {{0, count}});
  }
  int parent() const { return roles_.members[static_cast<std::size_t>(tree_parent(place_))]; }
  std::vector<int> children() const {
    return tree_children(place_, static_cast<int>(roles_.members.size()));
  }
  std::int64_t tops() const { return static_cast<std::int64_t>(s_.tops.size()); }
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
  void times_rows(const T* x);
  void finish_top_rows();
  void send_down();
  void form(std::int64_t first, std::int64_t rows, T* to, std::int64_t leading) const;
  void make_vectors();
  void share_t(bool member);
  void return_rows();
  void store_rows(T* a, std::int64_t leading);

  Qr& qr_;
  const Communicator& communicator_;
  const QrStep& s_;
  const QrWorkspace<T>& w_;
  Traffic& traffic_;
  QrRoles roles_;
  bool is_root_;
  int place_;  // among the members; their count: none
  std::int64_t width_;
  std::int64_t given_ = 0;    // of this rank's rows, the first, to the root
  std::int64_t stacked_ = 0;  // rows
};

// The rank's own rows; behind them, at the root, those that others give.
template <class T>
void Qr<T>::Panel::stack_rows(const T* a, std::int64_t leading) {
  const comm::InPhase exchanges(comm::Phase::exchange);
  if (given_ > 0) {
    copy_rows(given_, width_, a, leading, vectors(), given_);
    std::vector<MPI_Request> leaving;
    communicator_.send(vectors(), words(roles_.root, rows_tag, given_ * width_), leaving, traffic_);
    Communicator::wait(leaving);
  }
  const std::int64_t own = s_.rows - given_;
  stacked_ = own;
  if (is_root_) {
    for (const QrGiver& g : roles_.givers) stacked_ += g.rows;
    std::vector<MPI_Request> arriving;
    T* next = w_.received;
    for (const QrGiver& g : roles_.givers) {
      communicator_.receive(next, words(g.row, rows_tag, g.rows * width_), arriving, traffic_);
      next += g.rows * width_;
    }
    Communicator::wait(arriving);
    next = w_.received;
    std::int64_t at = own;
    for (const QrGiver& g : roles_.givers) {
      copy_rows(g.rows, width_, next, g.rows, w_.stack + at, stacked_);
      next += g.rows * width_;
      at += g.rows;
    }
  }
  copy_rows(own, width_, a + given_, leading, w_.stack, stacked_);
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
  std::copy_n(square(W::t_of_rows), width_ * width_, t());
  copy_rows(s_.rows, width_, w_.stack, stacked_, vectors(), s_.group_rows);
  const T* const r = square(W::r);
  for (std::int64_t c = 0; c < width_; ++c) {
    for (std::int64_t i = 0; i < width_; ++i) {
      square(W::own_tops)[i + c * width_] = i <= c ? r[i + c * width_] : w_.stack[i + c * stacked_];
    }
  }
}

// R of this rank's rows and of those below it in the tree, to its parent.
template <class T>
void Qr<T>::Panel::reduce() {
  const comm::InPhase reduces(comm::Phase::reduce);
  const std::int64_t triangle = triangle_words(width_);
  const std::vector<int> below = children();
  for (std::size_t c = 0; c < below.size(); ++c) {
    receive(square(W::packed), roles_.members[static_cast<std::size_t>(below[c])], up_tag,
            triangle);
    unpack_upper(width_, square(W::packed), square(W::other));
    combine(width_, square(W::r), square(W::other), own_block(c), child_block(c),
            square(W::scratch));
  }
  if (is_root_) return;
  pack_upper(width_, square(W::r), width_, square(W::sent));
  send(square(W::sent), parent(), up_tag, triangle);
}

// y = T V1^H x of the stack's rows.
template <class T>
void Qr<T>::Panel::times_rows(const T* x) {
  T* const scratch = square(W::scratch);
  blas::gemm(width_, width_, width_, T(1), {w_.stack, stacked_, 'C'}, {x, width_}, T(0), scratch,
             width_);
  multiply(width_, square(W::t_of_rows), scratch, square(W::y));
}

// Q(K, :) - S = L U; the matrix's rows there become S R and L. X is U^-1.
template <class T>
void Qr<T>::Panel::finish_top_rows() {
  T* const x = square(W::x);
  const auto make_identity = [&] {
    std::fill_n(x, width_ * width_, T(0));
    for (std::int64_t c = 0; c < width_; ++c) x[c * (width_ + 1)] = T(1);
  };
  make_identity();
  for (std::size_t c = children().size(); c-- > 0;) {
    multiply(width_, own_block(c), x, square(W::other));
    std::copy_n(square(W::other), width_ * width_, x);
  }
  times_rows(x);
  T* const q = square(W::final_rows);
  T* const rows = square(W::other);
  const auto place = [&](const std::vector<std::int64_t>& tops, std::int64_t at) {
    const auto count = static_cast<std::int64_t>(tops.size());
    form(at, count, rows, count);
    for (std::int64_t c = 0; c < width_; ++c) {
      for (std::int64_t i = 0; i < count; ++i) {
        q[tops[static_cast<std::size_t>(i)] + c * width_] = rows[i + c * count];
      }
    }
  };
  place(s_.tops, 0);
  std::int64_t at = s_.rows;
  for (const QrGiver& g : roles_.givers) {
    place(qr_.steps_.top_rows(s_.panel, g.row), at);
    at += g.rows;
  }
  T* const u = square(W::u);
  const T* const r = square(W::r);
  std::vector<int> signs;
  reconstruct(width_, q, signs, t());
  for (std::int64_t c = 0; c < width_; ++c) {
    for (std::int64_t i = 0; i < width_; ++i) {
      const std::int64_t e = i + c * width_;
      u[e] = i <= c ? q[e] : T(0);
      if (i <= c) q[e] = signs[static_cast<std::size_t>(i)] > 0 ? r[e] : -r[e];
    }
  }
  make_identity();
  lapack::solve({lapack::Side::right, 'U', 'N', false}, width_, width_, u, width_, x, width_);
}

// The product of blocks on the way from the root to each child, and T; X is what is left here.
template <class T>
void Qr<T>::Panel::send_down() {
  const comm::InPhase exchanges(comm::Phase::exchange);
  const std::vector<int> below = children();
  const std::int64_t triangle = triangle_words(width_);
  T* const x = square(W::x);
  T* const product = square(W::next);
  for (std::size_t c = below.size(); c-- > 0;) {
    multiply(width_, child_block(c), x, product);
    multiply(width_, own_block(c), x, square(W::other));
    std::copy_n(square(W::other), width_ * width_, x);
    // both blocks have served: two squares for a message
    T* const both = own_block(c);
    pack_upper(width_, t(), width_, pack_upper(width_, product, width_, both));
    send(both, roles_.members[static_cast<std::size_t>(below[c])], down_tag, 2 * triangle);
  }
}

// Rows of V in the stack, X - V Y.
template <class T>
void Qr<T>::Panel::form(std::int64_t first, std::int64_t rows, T* to, std::int64_t leading) const {
  const T* const x = square(W::x);
  blas::gemm(rows, width_, width_, T(-1), {w_.stack + first, stacked_}, {square(W::y), width_},
             T(0), to, leading);
  const std::int64_t with_x = std::min(rows, width_ - first);
  for (std::int64_t c = 0; c < width_; ++c) {
    for (std::int64_t i = 0; i < with_x; ++i) to[i + c * leading] += x[first + i + c * width_];
  }
}

// V = (Q - S) U^-1, but for the panel's first rows.
template <class T>
void Qr<T>::Panel::make_vectors() {
  times_rows(square(W::x));
  const std::int64_t own = s_.rows - given_;
  form(0, own, vectors() + given_, std::max<std::int64_t>(1, s_.group_rows));
  T* next = w_.received;
  std::int64_t at = own;
  for (std::size_t g = 0; g < roles_.givers.size() && is_root_; ++g) {
    const std::int64_t rows = roles_.givers[g].rows;
    form(at, rows, next, rows);
    next += rows * width_;
    at += rows;
  }
}

// T to those who have no part in the tree.
template <class T>
void Qr<T>::Panel::share_t(bool member) {
  const comm::InPhase exchanges(comm::Phase::exchange);
  const std::int64_t triangle = triangle_words(width_);
  if (!member) {
    receive(square(W::packed), roles_.root, t_tag, triangle);
    unpack_upper(width_, square(W::packed), t());
  }
  if (!is_root_ || roles_.others.empty()) return;
  pack_upper(width_, t(), width_, square(W::packed));
  for (const int row : roles_.others) send(square(W::packed), row, t_tag, triangle);
}

// From the root to those who gave rows.
template <class T>
void Qr<T>::Panel::return_rows() {
  const comm::InPhase exchanges(comm::Phase::exchange);
  T* const own = square(W::own_tops);
  if (!is_root_) {
    if (given_ == 0) return;
    receive(w_.stack, roles_.root, final_tag, given_ * width_);
    copy_rows(tops(), width_, w_.stack, given_, own, tops());
    copy_rows(given_, width_, w_.stack, given_, vectors(), s_.group_rows);
    return;
  }
  if (roles_.members.size() == 1 && roles_.givers.empty()) return;
  const T* const final_rows = square(W::final_rows);
  const auto take = [&](const std::vector<std::int64_t>& tops, T* to, std::int64_t leading) {
    for (std::int64_t c = 0; c < width_; ++c) {
      for (std::size_t i = 0; i < tops.size(); ++i) {
        to[static_cast<std::int64_t>(i) + c * leading] = final_rows[tops[i] + c * width_];
      }
    }
  };
  take(s_.tops, own, tops());
  T* next = w_.received;
  for (const QrGiver& g : roles_.givers) {
    take(qr_.steps_.top_rows(s_.panel, g.row), next, g.rows);
    send(next, g.row, final_tag, g.rows * width_);
    next += g.rows * width_;
  }
}

// The panel's rows of R and V in A; V's ones and zeros.
template <class T>
void Qr<T>::Panel::store_rows(T* a, std::int64_t leading) {
  const T* const own = square(W::own_tops);
  for (std::int64_t c = 0; c < width_; ++c) {
    T* const v = vectors() + c * s_.group_rows;
    T* const to = a + c * leading;
    std::copy_n(v + tops(), s_.rows - tops(), to + tops());
    for (std::int64_t i = 0; i < tops(); ++i) {
      const std::int64_t row = s_.tops[static_cast<std::size_t>(i)];
      const T value = own[i + c * tops()];
      to[i] = value;
      v[i] = row > c ? value : row == c ? T(1) : T(0);
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
