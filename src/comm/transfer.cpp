#include "comm/transfer.hpp"

#include <algorithm>
#include <array>
#include <complex>
#include <span>

#include "comm/number.hpp"

namespace redblue::comm {

using layout::Arrangement;
using layout::Part;
using layout::Patch;
using layout::Piece;

namespace {

template <class T>
T product(T a, T b) {
  return a * b;
}
// Without the search for infinities of the standard's.
template <class T>
std::complex<T> product(std::complex<T> a, std::complex<T> b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

// `fast` x `slow` elements between two places.
template <class T, class Combine>
void move_rectangle(std::int64_t fast, std::int64_t slow, const T* from, std::int64_t from_slow,
                    T* to, std::int64_t to_fast, std::int64_t to_slow, Combine combine) {
  if (to_fast == 1) {
    for (std::int64_t s = 0; s < slow; ++s) {
      const T* x = from + s * from_slow;
      T* y = to + s * to_slow;
      for (std::int64_t f = 0; f < fast; ++f) combine(y[f], x[f]);
    }
    return;
  }
  constexpr std::int64_t tile = 16;
  for (std::int64_t s0 = 0; s0 < slow; s0 += tile) {
    const std::int64_t s1 = std::min(s0 + tile, slow);
    for (std::int64_t f0 = 0; f0 < fast; f0 += tile) {
      const std::int64_t f1 = std::min(f0 + tile, fast);
      for (std::int64_t f = f0; f < f1; ++f) {
        for (std::int64_t s = s0; s < s1; ++s) {
          combine(to[f * to_fast + s * to_slow], from[s * from_slow + f]);
        }
      }
    }
  }
}

Range hull(const layout::IndexSet& set) {
  return {set.intervals().front().begin, set.intervals().back().end};
}

// Which of many patches may share rows with another.
class RowIndex {
 public:
  explicit RowIndex(const std::vector<Patch>& patches) {
    for (std::size_t p = 0; p < patches.size(); ++p) {
      if (patches[p].rows.empty()) continue;
      rows_.push_back({hull(patches[p].rows), p});
      longest_ = std::max(longest_, rows_.back().first.size());
    }
    std::sort(rows_.begin(), rows_.end(),
              [](const auto& a, const auto& b) { return a.first.begin < b.first.begin; });
  }

  // Places of the patches, ascending.
  void find(const layout::IndexSet& rows, std::vector<std::size_t>& found) const {
    found.clear();
    if (rows.empty()) return;
    const Range wanted = hull(rows);
    auto next = std::partition_point(rows_.begin(), rows_.end(), [&](const auto& r) {
      return r.first.begin + longest_ <= wanted.begin;
    });
    for (; next != rows_.end() && next->first.begin < wanted.end; ++next) {
      if (next->first.end > wanted.begin) found.push_back(next->second);
    }
    std::sort(found.begin(), found.end());
  }

 private:
  std::vector<std::pair<Range, std::size_t>> rows_;
  std::int64_t longest_ = 0;
};

}  // namespace

template <class T>
std::vector<typename Transfer<T>::Product> Transfer<T>::products(
    const std::vector<Patch>& from, const std::vector<Patch>& to) const {
  const bool over_gaps = options_.part == Part::all;
  std::vector<Product> result;
  const RowIndex index(to);
  std::vector<std::size_t> meeting;
  for (const Patch& f : from) {
    index.find(f.rows, meeting);
    for (const std::size_t place : meeting) {
      const Patch& t = to[place];
      std::vector<Piece> rows = shared(f.rows, t.rows, over_gaps);
      if (rows.empty()) continue;
      std::vector<Piece> columns = shared(f.columns, t.columns, over_gaps);
      if (columns.empty()) continue;
      if (f.row_major) rows.swap(columns);
      // along the sender's fast direction, t stands contiguously when both are stored alike
      const bool alike = f.row_major == t.row_major;
      result.push_back({std::move(rows), std::move(columns), f.offset, f.leading, t.offset,
                        alike ? 1 : t.leading, alike ? t.leading : 1, !f.row_major,
                        f.conjugated != t.conjugated});
      if (!over_gaps && words({result.back()}) == 0) result.pop_back();
    }
  }
  return result;
}

// The lines of a rectangle that crosses the diagonal, as far as they are meant.
template <class T>
template <class F>
void Transfer<T>::for_each_line_beside_diagonal(const Product& p, const Piece& fast,
                                                const Piece& slow, F f) const {
  const bool after = (options_.part == Part::lower) == p.down;
  for (std::int64_t x = 0; x < slow.length; ++x) {
    const Range kept = layout::beside_diagonal(fast.index, fast.length, slow.index + x, after);
    if (kept.size() == 0) continue;
    const std::int64_t skipped = kept.begin - fast.index;
    const Piece line = {fast.from + skipped, fast.to + skipped, kept.size(), kept.begin};
    f(Rectangle{&p, std::span(&line, 1), line.length, slow.from + x, slow.to + x, 1});
  }
}

// Calls f(rectangle) for all rectangles of the products, in the order of a message. Short pieces
// along the fast direction come together.
template <class T>
template <class F>
void Transfer<T>::for_each_rectangle(const std::vector<Product>& products, F f) const {
  enum class Side { outside, across, inside };
  const auto joins = [](const std::vector<Piece>& pieces, std::size_t first, std::size_t next,
                        std::int64_t so_far) {
    constexpr std::int64_t small = 8;
    return next == first || (pieces[first].length <= small && pieces[next].length <= small &&
                             so_far + pieces[next].length <= together);
  };
  for (const Product& p : products) {
    const bool after = (options_.part == Part::lower) == p.down;
    const auto side = [&](const Piece& t, const Piece& s) {
      if (options_.part == Part::all) return Side::inside;
      if (after ? t.index + 1 >= s.index + s.length : t.index + t.length <= s.index + 1) {
        return Side::inside;
      }
      const bool touches = after ? t.index + t.length > s.index : t.index < s.index + s.length;
      return touches ? Side::across : Side::outside;
    };
    for (const Piece& s : p.slow) {
      for (std::size_t t = 0; t < p.fast.size();) {
        const std::size_t first = t;
        std::int64_t fast = 0;
        while (t < p.fast.size() && joins(p.fast, first, t, fast) &&
               side(p.fast[t], s) == Side::inside) {
          fast += p.fast[t++].length;
        }
        if (t > first) {
          const std::span pieces(p.fast.data() + first, t - first);
          f(Rectangle{&p, pieces, fast, s.from, s.to, s.length});
          continue;
        }
        if (side(p.fast[t], s) == Side::across) for_each_line_beside_diagonal(p, p.fast[t], s, f);
        ++t;
      }
    }
  }
}

template <class T>
std::int64_t Transfer<T>::words(const std::vector<Product>& products) const {
  std::int64_t total = 0;
  for_each_rectangle(products, [&total](const Rectangle& r) { total += r.fast * r.slow; });
  return total;
}

// The places of a message's words in the matrix itself, where MPI may take or put them there.
template <class T>
std::vector<Segment> Transfer<T>::direct_places(const std::vector<Product>& products,
                                                bool sends) const {
  std::vector<Segment> segments;
  if (!sends && (options_.add || options_.conjugate)) return segments;
  if (sends && options_.row_places != nullptr) return segments;
  bool possible = true;
  for_each_rectangle(products, [&](const Rectangle& r) {
    possible = possible && (sends ? !r.product->conjugated : r.product->to_fast == 1) &&
               (options_.lean || segments.size() < 2);
    if (!possible) return;
    const Product& p = *r.product;
    for (std::int64_t x = 0; x < r.slow; ++x) {
      for (const Piece& t : r.pieces) {
        const std::int64_t at = sends ? p.from_offset + t.from + (r.from_slow + x) * p.from_leading
                                      : p.to_offset + t.to + (r.to_slow + x) * p.to_slow;
        append(segments, {at, t.length});
      }
    }
  });
  if (!possible || (segments.size() > 1 && !options_.lean)) segments.clear();
  return segments;
}

template <class T>
typename Transfer<T>::Parcel Transfer<T>::parcel(Rank peer, std::vector<Product> products,
                                                 bool sends, std::int64_t buffer_offset) const {
  // What a one-sided transfer sends is fetched: packed from a window, or from the matrix.
  std::vector<Segment> places;
  if (!(sends && options_.one_sided)) places = direct_places(products, sends);
  if (!places.empty()) {
    return {Message::of<T>(peer, options_.tag, places), std::move(products), false, 0};
  }
  const std::vector<Segment> packed = {{buffer_offset, words(products)}};
  return {Message::of<T>(peer, options_.tag, packed), std::move(products), true, buffer_offset};
}

template <class T>
Transfer<T>::Transfer(const Communicator& communicator, const Arrangement& from,
                      const Arrangement& to, const TransferOptions& options)
    : options_(options) {
  const int ranks = communicator.size();
  const int me = communicator.rank().value;
  const auto of = [](const Arrangement& a, int rank) -> const std::vector<Patch>& {
    return a.of_rank[static_cast<std::size_t>(rank)];
  };
  target_patches_ = of(to, me);
  own_ = products(of(from, me), of(to, me));
  std::int64_t arriving = words(own_);
  std::int64_t largest = 0;
  std::vector<std::pair<Rank, std::vector<Product>>> senders;
  for (int turn = 1; turn < ranks; ++turn) {  // not all to rank 0 at once
    const Rank receiver{(me + turn) % ranks};
    const Rank sender{(me - turn + ranks) % ranks};
    std::vector<Product> sent = products(of(from, me), of(to, receiver.value));
    if (!sent.empty()) {
      outgoing_.push_back(parcel(receiver, std::move(sent), true, send_words_));
      if (outgoing_.back().packed && !reads_matrices())
        send_words_ += outgoing_.back().message.words().value;
    }
    std::vector<Product> received = products(of(from, sender.value), of(to, me));
    if (received.empty()) continue;
    arriving += words(received);
    largest = std::max(largest, words(received));
    senders.emplace_back(sender, std::move(received));
  }
  const bool two_slots = options.add && options.lean;
  for (auto& [sender, received] : senders) {
    if (reads_matrices())
      there_.push_back(Message::of<T>(sender, options.tag, direct_places(received, true)));
    const auto slot = static_cast<std::int64_t>(incoming_.size() % 2);
    incoming_.push_back(
        parcel(sender, std::move(received), false, two_slots ? slot * largest : receive_words_));
    if (!two_slots && incoming_.back().packed) {
      receive_words_ += incoming_.back().message.words().value;
    }
  }
  slots_ = two_slots ? std::min<std::size_t>(2, incoming_.size()) : incoming_.size();
  if (two_slots) receive_words_ = static_cast<std::int64_t>(slots_) * largest;
  once_ = arriving == to.held(Rank{me}, options.part);
  sends_.reserve(outgoing_.size());
  receives_.reserve(incoming_.size());
  if (options.one_sided && !options.lean) open_window(communicator);
}

template <class T>
void Transfer<T>::open_window(const Communicator& communicator) {
  std::vector<std::int64_t> places(static_cast<std::size_t>(communicator.size()));
  std::vector<int> readers;
  std::vector<int> sources;
  for (const Parcel& p : outgoing_) {
    readers.push_back(p.message.peer().value);
    places[static_cast<std::size_t>(p.message.peer().value)] = p.buffer_offset;
  }
  const std::vector<std::int64_t> theirs = communicator.exchange(places);
  for (const Parcel& p : incoming_) {
    sources.push_back(p.message.peer().value);
    window_places_.push_back(theirs[static_cast<std::size_t>(p.message.peer().value)]);
  }
  window_.emplace(communicator, send_words_ * static_cast<std::int64_t>(sizeof(T)), readers,
                  sources);
  send_words_ = 0;  // the window is the buffer
}

template <class T>
void Transfer<T>::post(const Communicator& communicator, Traffic& count) {
  const Parcel& next = incoming_[posted_];
  T* place = next.packed ? receive_buffer_ : target_;
  if (exposure_ != nullptr) {
    exposure_->get(place, next.message, there_[posted_], count);
  } else {
    communicator.receive(place, next.message, receives_, count);
  }
  ++posted_;
}

template <class T>
void Transfer<T>::start(const Communicator& communicator, const T* source, T* target,
                        T* send_buffer, T* receive_buffer, Traffic& count) {
  source_ = source;
  target_ = target;
  receive_buffer_ = receive_buffer;
  if (window_) {
    for (const Parcel& p : outgoing_) {
      pack(p, static_cast<T*>(window_->memory()));
      count.words_sent += p.message.words();
      count.messages_sent += Messages(1);
    }
    window_->open();
    for (std::size_t i = 0; i < incoming_.size(); ++i) {
      window_->get(incoming_[i].packed ? receive_buffer : target, incoming_[i].message,
                   window_places_[i], count);
    }
    return;
  }
  posted_ = 0;
  while (posted_ < slots_) post(communicator, count);
  for (const Parcel& p : outgoing_) {
    if (exposure_ != nullptr) {  // its receiver fetches it
      count.words_sent += p.message.words();
      count.messages_sent += Messages(1);
      continue;
    }
    if (p.packed) pack(p, send_buffer);
    communicator.send(p.packed ? send_buffer : source, p.message, sends_, count);
  }
}

template <class T>
std::int64_t Transfer<T>::list_places(const Rectangle& r, std::int64_t first,
                                      const std::int64_t* rows, Packed packed, Lists& lists) const {
  std::size_t listed = 0;
  std::int64_t before = 0;  // elements of the pieces passed
  for (const Piece& t : r.pieces) {
    const std::int64_t skipped = std::max<std::int64_t>(0, first - before);
    for (std::int64_t i = skipped; i < t.length && listed < lists.to.size(); ++i, ++listed) {
      const std::int64_t from = packed == Packed::from ? before + i : t.from + i;
      lists.from[listed] = rows == nullptr ? from : rows[from];
      lists.to[listed] = packed == Packed::to ? before + i : (t.to + i) * r.product->to_fast;
    }
    before += t.length;
  }
  return static_cast<std::int64_t>(listed);
}

// One rectangle. At the end that is a message, its lines stand one after another.
template <class T>
template <class Combine>
void Transfer<T>::move(const Rectangle& r, const T* from, T* to, Packed packed,
                       Combine combine) const {
  const Product& p = *r.product;
  const bool arrives = packed == Packed::from;
  const bool leaves = packed == Packed::to;
  const std::int64_t from_slow = arrives ? r.fast : p.from_leading;
  const std::int64_t to_slow = leaves ? r.fast : p.to_slow;
  if (!arrives) from += p.from_offset + r.from_slow * from_slow;
  if (!leaves) to += p.to_offset + r.to_slow * to_slow;
  const bool rows_elsewhere = !arrives && options_.row_places != nullptr;
  if (r.pieces.size() == 1 && !rows_elsewhere) {
    const Piece& t = r.pieces.front();
    const std::int64_t to_fast = leaves ? 1 : p.to_fast;
    move_rectangle(r.fast, r.slow, from + (arrives ? 0 : t.from), from_slow,
                   to + (leaves ? 0 : t.to * to_fast), to_fast, to_slow, combine);
    return;
  }
  Lists lists;
  for (std::int64_t first = 0; first < r.fast; first += together) {
    const std::int64_t* listed = nullptr;  // rows in `lists`
    std::int64_t count = 0;
    for (std::int64_t s = 0; s < r.slow; ++s) {
      const std::int64_t* rows = nullptr;
      if (rows_elsewhere) rows = (*options_.row_places)[static_cast<std::size_t>(r.from_slow + s)];
      if (s == 0 || rows != listed) count = list_places(r, first, rows, packed, lists);
      listed = rows;
      const T* x = from + s * from_slow;
      T* y = to + s * to_slow;
      for (std::int64_t i = 0; i < count; ++i) {
        const auto at = static_cast<std::size_t>(i);
        __builtin_prefetch(x + from_slow + lists.from[at]);  // of the next line
        combine(y[lists.to[at]], x[lists.from[at]]);
      }
    }
  }
}

template <class T>
void Transfer<T>::pack(const Parcel& parcel, T* buffer) const {
  T* next = buffer + parcel.buffer_offset;
  for_each_rectangle(parcel.products, [&](const Rectangle& r) {
    if (r.product->conjugated) {
      move(r, source_, next, Packed::to, [](T& to, const T& from) { to = conjugated(from); });
    } else {
      move(r, source_, next, Packed::to, [](T& to, const T& from) { to = from; });
    }
    next += r.fast * r.slow;
  });
}

template <class T>
template <class Combine>
void Transfer<T>::unpack(const Parcel& parcel, Combine combine) const {
  const T* next = receive_buffer_ + parcel.buffer_offset;
  for_each_rectangle(parcel.products, [&](const Rectangle& r) {
    move(r, next, target_, Packed::from, combine);
    next += r.fast * r.slow;
  });
}

template <class T>
template <class Combine>
void Transfer<T>::copy_own(Combine combine) const {
  for_each_rectangle(own_, [&](const Rectangle& r) {
    if (r.product->conjugated) {
      move(r, source_, target_, Packed::neither,
           [&combine](T& to, const T& from) { combine(to, conjugated(from)); });
    } else {
      move(r, source_, target_, Packed::neither, combine);
    }
  });
}

template <class T>
template <class Combine>
void Transfer<T>::combine_all(const Communicator& communicator, Combine combine, Traffic& count) {
  if (!options_.own_in_place) copy_own(combine);
  if (window_) {
    window_->complete();
    for (const Parcel& p : incoming_) {
      if (p.packed) unpack(p, combine);
    }
    window_->close();
    return;
  }
  for (std::size_t i = 0; i < incoming_.size(); ++i) {
    if (exposure_ != nullptr) {
      exposure_->complete(incoming_[i].message.peer());
    } else {
      Communicator::wait(receives_[i]);
    }
    if (incoming_[i].packed) unpack(incoming_[i], combine);
    if (posted_ < incoming_.size()) post(communicator, count);
  }
}

template <class T>
void Transfer<T>::scale_target(T beta) const {
  for (const Patch& p : target_patches_) {
    const layout::IndexSet& fast = p.row_major ? p.columns : p.rows;
    const layout::IndexSet& slow = p.row_major ? p.rows : p.columns;
    const bool after = (options_.part == Part::lower) != p.row_major;
    for (const layout::Interval& s : slow.intervals()) {
      for (std::int64_t line = s.begin; line < s.end; ++line) {
        T* x = target_ + p.offset + (s.position + line - s.begin) * p.leading;
        for (const layout::Interval& f : fast.intervals()) {
          Range kept = {f.begin, f.end};
          if (options_.part != Part::all) {
            kept = layout::beside_diagonal(f.begin, f.end - f.begin, line, after);
          }
          for (std::int64_t e = kept.begin; e < kept.end; ++e) {
            T& y = x[f.position + e - f.begin];
            y = beta == T(0) ? T(0) : product(beta, y);
          }
        }
      }
    }
  }
}

template <class T>
void Transfer<T>::finish(const Communicator& communicator, T alpha, T beta, Traffic& count) {
  if (!once_ && beta != T(1)) scale_target(beta);
  const T kept = once_ ? beta : T(1);
  const auto run = [&](auto taken) {
    if (alpha == T(1) && kept == T(0)) {
      combine_all(
          communicator, [taken](T& to, const T& from) { to = taken(from); }, count);
    } else if (alpha == T(1) && kept == T(1)) {
      combine_all(
          communicator, [taken](T& to, const T& from) { to += taken(from); }, count);
    } else if (kept == T(0)) {
      combine_all(
          communicator, [taken, alpha](T& to, const T& from) { to = product(alpha, taken(from)); },
          count);
    } else {
      combine_all(
          communicator,
          [taken, alpha, kept](T& to, const T& from) {
            to = product(kept, to) + product(alpha, taken(from));
          },
          count);
    }
  };
  if (options_.conjugate) {
    run([](const T& x) { return conjugated(x); });
  } else {
    run([](const T& x) { return x; });
  }
  receives_.clear();
  Communicator::wait(sends_);
}

template class Transfer<int>;
template class Transfer<float>;
template class Transfer<double>;
template class Transfer<std::complex<float>>;
template class Transfer<std::complex<double>>;

}  // namespace redblue::comm
