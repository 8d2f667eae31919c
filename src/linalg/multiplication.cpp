#include "linalg/multiplication.hpp"

#include <algorithm>
#include <complex>

#include "decomposition/ownership.hpp"

namespace redblue::linalg {

using comm::Communicator;
using comm::Transfer;
using layout::Arrangement;
using layout::Patch;

namespace {

// The footprints of all ranks in one step, each at the start of its rank's buffer.
Arrangement footprints(const std::vector<Domain>& domains, Operand operand, std::size_t step) {
  Arrangement result;
  result.of_rank.resize(domains.size());
  for (std::size_t r = 0; r < domains.size(); ++r) {
    if (domains[r].empty()) continue;
    Patch patch = footprint(domains[r], operand, domains[r].steps[step]);
    if (patch.size() > 0) result.of_rank[r].push_back(std::move(patch));
  }
  return result;
}

}  // namespace

void cut_evenly(std::vector<Domain>& domains, std::int64_t steps) {
  for (Domain& d : domains) {
    d.steps.clear();
    for (std::int64_t s = 0; s < steps; ++s) {
      const Range piece = round_of({0, d.k.size()}, s, steps);
      d.steps.push_back(d.k.slice(piece.begin, piece.end));
    }
  }
}

Patch footprint(const Domain& domain, Operand operand, const layout::IndexSet& k) {
  if (operand == Operand::a) return layout::dense_patch(domain.i, k);
  if (operand == Operand::b) return layout::dense_patch(k, domain.j);
  return layout::dense_patch(domain.i, domain.j);
}

template <class T>
typename Multiplication<T>::Input Multiplication<T>::input(const Communicator& communicator,
                                                           const Arrangement& held, bool conjugate,
                                                           Operand operand,
                                                           const MultiplicationSetup& setup) {
  const auto me = static_cast<std::size_t>(communicator.rank().value);
  Input result;
  result.conjugate = conjugate;
  for (const Patch& patch : held.of_rank[me])
    result.extent = std::max(result.extent, layout::extent(patch));
  const Domain& mine = setup.domains[me];
  for (std::size_t s = 0; s < mine.steps.size(); ++s) {
    const Arrangement wanted = footprints(setup.domains, operand, s);
    const Patch slab = mine.empty() ? Patch{} : footprint(mine, operand, mine.steps[s]);
    auto in_place = layout::block_in(held.of_rank[me], slab);
    if (in_place && conjugate && !in_place->row_major) in_place.reset();  // BLAS has no such op
    comm::TransferOptions options;
    options.tag = static_cast<int>(operand);
    options.conjugate = conjugate;
    options.lean = setup.lean;
    options.one_sided = setup.one_sided;
    options.own_in_place = in_place.has_value();
    result.steps.push_back({Transfer<T>(communicator, held, wanted, options), slab, in_place});
    const Transfer<T>& transfer = result.steps.back().transfer;
    if (!in_place) result.slab_words = std::max(result.slab_words, slab.size());
    result.send_words = std::max(result.send_words, transfer.send_buffer());
    result.receive_words = std::max(result.receive_words, transfer.receive_buffer());
  }
  return result;
}

template <class T>
Multiplication<T>::Multiplication(const Communicator& communicator,
                                  const MultiplicationSetup& setup)
    : slots_(
          std::min(setup.ahead + 1, std::max<std::size_t>(1, setup.domains.front().steps.size()))),
      a_(input(communicator, setup.a, setup.conjugate_a, Operand::a, setup)),
      b_(input(communicator, setup.b, setup.conjugate_b, Operand::b, setup)),
      exposes_(setup.one_sided && setup.lean && communicator.size() > 1) {
  const auto me = static_cast<std::size_t>(communicator.rank().value);
  const Domain& mine = setup.domains[me];
  if (!mine.empty()) {
    m_ = mine.i.size();
    n_ = mine.j.size();
  }
  const Arrangement faces = footprints(setup.domains, Operand::c, 0);
  if (!faces.of_rank[me].empty()) {
    // BLAS may write to the target itself when it writes all of it.
    const Patch& face = faces.of_rank[me].front();
    if (face.size() == setup.c.held(communicator.rank())) {
      face_in_place_ = layout::block_in(setup.c.of_rank[me], face);
    }
  }
  comm::TransferOptions options;
  options.tag = static_cast<int>(Operand::c);
  options.add = true;
  options.lean = setup.lean;
  options.one_sided = setup.one_sided;
  options.own_in_place = face_in_place_.has_value();
  reduction_.emplace(communicator, faces, setup.c, options);
  lay_out_workspace();
}

template <class T>
void Multiplication<T>::lay_out_workspace() {
  std::int64_t next = 0;
  const auto take = [&next](std::int64_t words) {
    const std::int64_t at = next;
    next += words;
    return at;
  };
  face_ = take(face_in_place_ ? 0 : m_ * n_);
  const std::int64_t buffers = next;
  for (Input* x : {&a_, &b_}) {
    for (std::size_t s = 0; s < slots_; ++s) {
      const std::int64_t slab = take(x->slab_words);
      const std::int64_t send = take(x->send_words);
      x->slots.push_back({slab, send, take(x->receive_words)});
    }
  }
  // The reduction starts when all rounds are over, in the same place.
  staging_ = buffers;
  workspace_ = std::max(next, buffers + reduction_->buffer());
}

template <class T>
void Multiplication<T>::expose(const Communicator& communicator, const T* source, Input& input,
                               std::optional<comm::Exposure>& exposure) const {
  if (!exposes_) return;
  exposure.emplace(communicator, source, input.extent * static_cast<std::int64_t>(sizeof(T)));
  for (Step& step : input.steps) step.transfer.read_from(*exposure);
}

template <class T>
void Multiplication<T>::start(const Communicator& communicator, Input& input, std::size_t step,
                              const T* source, T* workspace, GemmTraffic& traffic) {
  const auto& slot = input.slots[step % slots_];
  input.steps[step].transfer.start(communicator, source, workspace + slot.slab,
                                   workspace + slot.send, workspace + slot.receive,
                                   traffic.exchange);
}

template <class T>
void Multiplication<T>::finish(const Communicator& communicator, Input& input, std::size_t step,
                               GemmTraffic& traffic) {
  input.steps[step].transfer.finish(communicator, T(1), T(0), traffic.exchange);
}

template <class T>
blas::Factor<T> Multiplication<T>::factor(const Input& input, std::size_t step, const T* source,
                                          const T* workspace) const {
  const Step& s = input.steps[step];
  if (!s.in_place) return {workspace + input.slots[step % slots_].slab, s.slab.leading, 'N'};
  const char turned = input.conjugate ? 'C' : 'T';
  return {source + s.in_place->offset, s.in_place->leading, s.in_place->row_major ? turned : 'N'};
}

// Where `watch`, in pieces, so that messages move in between.
template <class T>
void Multiplication<T>::multiply(const Communicator& communicator, std::int64_t k, T alpha,
                                 const blas::Factor<T>& a, const blas::Factor<T>& b, T beta, T* c,
                                 std::int64_t leading, bool watch) const {
  constexpr std::int64_t columns = 128;  // fewer, and the BLAS packs A too often
  constexpr int looks = 16;              // each moves a fragment or so of every message
  const std::int64_t step = watch ? columns : std::max<std::int64_t>(1, n_);
  for (std::int64_t j = 0; j < n_; j += step) {
    blas::Factor<T> part = b;
    part.data += b.op == 'N' ? j * b.leading : j;
    blas::gemm(m_, std::min(step, n_ - j), k, alpha, a, part, beta, c + j * leading, leading);
    for (int look = 0; watch && look < looks; ++look) communicator.progress();
  }
}

template <class T>
void Multiplication<T>::execute(const Communicator& communicator, T alpha, const T* a, const T* b,
                                T beta, T* c, T* workspace, GemmTraffic& traffic) {
  const std::size_t steps = a_.steps.size();
  const auto start_step = [&](std::size_t s) {
    start(communicator, a_, s, a, workspace, traffic);
    start(communicator, b_, s, b, workspace, traffic);
  };
  T* face = face_in_place_ ? c + face_in_place_->offset : workspace + face_;
  const std::int64_t leading =
      face_in_place_ ? face_in_place_->leading : std::max<std::int64_t>(1, m_);
  T kept = face_in_place_ ? beta : T(0);
  std::optional<comm::Exposure> all_of_a, all_of_b, faces;
  expose(communicator, a, a_, all_of_a);
  expose(communicator, b, b_, all_of_b);
  for (std::size_t s = 0; s < std::min(slots_, steps); ++s) start_step(s);
  for (std::size_t s = 0; s < steps; ++s) {
    finish(communicator, a_, s, traffic);
    finish(communicator, b_, s, traffic);
    const std::int64_t k = a_.steps[s].slab.columns.size();
    if (m_ > 0 && (k > 0 || s == 0)) {
      multiply(communicator, k, alpha, factor(a_, s, a, workspace), factor(b_, s, b, workspace),
               kept, face, leading, slots_ > 1 && s + 1 < steps);
      kept = T(1);
    }
    if (s + slots_ < steps) start_step(s + slots_);
  }
  if (exposes_) {
    // What stands in C itself is read by nobody.
    faces.emplace(communicator, face,
                  face_in_place_ ? 0 : m_ * n_ * static_cast<std::int64_t>(sizeof(T)));
    reduction_->read_from(*faces);
  }
  reduction_->execute(communicator, T(1), face, face_in_place_ ? T(1) : beta, c,
                      workspace + staging_, traffic.reduce);
}

template class Multiplication<float>;
template class Multiplication<double>;
template class Multiplication<std::complex<float>>;
template class Multiplication<std::complex<double>>;

}  // namespace redblue::linalg
