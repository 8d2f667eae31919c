// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/gemm/multiplication.hpp"

#include <algorithm>
#include <complex>

#include "decomposition/ownership.hpp"

namespace redblue::linalg {

using comm::Communicator;
using comm::Transfer;
using layout::Arrangement;
using layout::Patch;

namespace {

// The blocks of an operand that the ranks need in one step, each at the start of its rank's buffer.
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

// What a rank has of a piece of its block's columns.
std::vector<Patch> restricted(const std::vector<Patch>& patches, const Domain& domain,
                              std::int64_t piece, std::int64_t pieces) {
  const Range positions = round_of({0, domain.j.size()}, piece, pieces);
  if (domain.empty() || positions.size() == 0) return {};
  const layout::IndexSet columns = domain.j.slice(positions.begin, positions.end);
  const Range range = {columns.intervals().front().begin, columns.intervals().back().end};
  return layout::restricted({0, 0, {patches}}, range).of_rank.front();
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
                                                           const Arrangement& local, bool conjugate,
                                                           Operand operand,
                                                           const MultiplicationSetup& setup) {
  const auto me = static_cast<std::size_t>(communicator.rank().value);
  Input result;
  result.conjugate = conjugate;
  for (const Patch& patch : local.of_rank[me])
    result.extent = std::max(result.extent, layout::extent(patch));
  const Domain& mine = setup.domains[me];
  for (std::size_t s = 0; s < mine.steps.size(); ++s) {
    const Arrangement wanted = footprints(setup.domains, operand, s);
    const Patch panel = mine.empty() ? Patch{} : footprint(mine, operand, mine.steps[s]);
    auto in_place = layout::stored_block(local.of_rank[me], panel);
    if (in_place && conjugate && !in_place->row_major) in_place.reset();  // BLAS has no such op
    comm::TransferOptions options;
    options.tag = static_cast<int>(operand);
    options.conjugate = conjugate;
    options.zero_copy = setup.zero_copy;
    options.one_sided = setup.one_sided;
    options.own_in_place = in_place.has_value();
    result.steps.push_back({Transfer<T>(communicator, local, wanted, options), panel, in_place});
    const Transfer<T>& transfer = result.steps.back().transfer;
    if (!in_place) result.panel_words = std::max(result.panel_words, panel.size());
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
      exposes_(setup.one_sided && setup.zero_copy && communicator.size() > 1) {
  const auto me = static_cast<std::size_t>(communicator.rank().value);
  const Domain& mine = setup.domains[me];
  if (!mine.empty()) {
    m_ = mine.i.size();
    n_ = mine.j.size();
  }
  const Arrangement c_blocks = footprints(setup.domains, Operand::c, 0);
  if (!c_blocks.of_rank[me].empty()) {
    // BLAS may write to the target itself when it writes all of it.
    const Patch& mine_of_c = c_blocks.of_rank[me].front();
    if (mine_of_c.size() == setup.c.words_on(communicator.rank())) {
      c_in_place_ = layout::stored_block(setup.c.of_rank[me], mine_of_c);
    }
  }
  plan_reductions(communicator, setup, c_blocks);
  lay_out_workspace();
}

template <class T>
void Multiplication<T>::plan_reductions(const Communicator& communicator,
                                        const MultiplicationSetup& setup,
                                        const Arrangement& blocks) {
  comm::TransferOptions options;
  options.tag = static_cast<int>(Operand::c);
  options.add = true;
  options.zero_copy = setup.zero_copy;
  options.one_sided = setup.one_sided;
  options.own_in_place = c_in_place_.has_value();
  if (setup.reductions == 1) {
    reductions_.emplace_back(communicator, blocks, setup.c, options);
    return;
  }
  for (std::int64_t q = 0; q < setup.reductions; ++q) {
    Arrangement from{setup.c.rows, setup.c.columns, {}};
    Arrangement to = from;
    for (std::size_t r = 0; r < setup.domains.size(); ++r) {
      const Domain& d = setup.domains[r];
      from.of_rank.push_back(restricted(blocks.of_rank[r], d, q, setup.reductions));
      to.of_rank.push_back(restricted(setup.c.of_rank[r], d, q, setup.reductions));
    }
    reductions_.emplace_back(communicator, from, to, options);
  }
}

template <class T>
void Multiplication<T>::lay_out_workspace() {
  std::int64_t next = 0;
  const auto take = [&next](std::int64_t words) {
    const std::int64_t at = next;
    next += words;
    return at;
  };
  c_offset_ = take(c_in_place_ ? 0 : m_ * n_);
  const std::int64_t buffers = next;
  for (Input* x : {&a_, &b_}) {
    for (std::size_t s = 0; s < slots_; ++s) {
      const std::int64_t panel = take(x->panel_words);
      const std::int64_t send = take(x->send_words);
      x->slots.push_back({panel, send, take(x->receive_words)});
    }
  }
  // reductions start after the last step and reuse the memory of the steps
  staging_ = buffers;
  workspace_ = next;
  for (const Transfer<T>& r : reductions_) workspace_ = std::max(workspace_, buffers + r.buffer());
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
  input.steps[step].transfer.start(communicator, source, workspace + slot.panel,
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
  if (!s.in_place) return {workspace + input.slots[step % slots_].panel, s.panel.leading, 'N'};
  const char turned = input.conjugate ? 'C' : 'T';
  return {source + s.in_place->offset, s.in_place->leading, s.in_place->row_major ? turned : 'N'};
}

// C = beta C + alpha A B. If `watch`, some columns at a time, so that messages move in between.
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

// This rank's block of the iteration space is I x J x K; K is cut into steps K_0, K_1, ..
//
//   for each step s:
//     A(I, K_s), B(K_s, J)  to the ranks that need them: on a grid an allgather along its rows and
//                           columns, elsewhere point-to-point messages with the same words
//     C'(I, J) += alpha A(I, K_s) B(K_s, J)
//   C(I, J) = beta C(I, J) + the sum of all ranks' C'(I, J): a reduce-scatter to C's owners
//
// Steps s+1 .. s+ahead are under way while step s is multiplied.
template <class T>
void Multiplication<T>::execute(const Communicator& communicator, T alpha, const T* a, const T* b,
                                T beta, T* c, T* workspace, GemmTraffic& traffic) {
  const std::size_t steps = a_.steps.size();
  const auto start_step = [&](std::size_t s) {
    start(communicator, a_, s, a, workspace, traffic);
    start(communicator, b_, s, b, workspace, traffic);
  };
  T* c_block = c_in_place_ ? c + c_in_place_->offset : workspace + c_offset_;
  const std::int64_t leading = c_in_place_ ? c_in_place_->leading : std::max<std::int64_t>(1, m_);
  T kept = c_in_place_ ? beta : T(0);
  std::optional<comm::Exposure> exposed_a, exposed_b, exposed_c;
  expose(communicator, a, a_, exposed_a);
  expose(communicator, b, b_, exposed_b);
  for (std::size_t s = 0; s < std::min(slots_, steps); ++s) start_step(s);
  for (std::size_t s = 0; s < steps; ++s) {
    finish(communicator, a_, s, traffic);
    finish(communicator, b_, s, traffic);
    const std::int64_t k = a_.steps[s].panel.columns.size();
    if (m_ > 0 && (k > 0 || s == 0)) {
      multiply(communicator, k, alpha, factor(a_, s, a, workspace), factor(b_, s, b, workspace),
               kept, c_block, leading, slots_ > 1 && s + 1 < steps);
      kept = T(1);
    }
    if (s + slots_ < steps) start_step(s + slots_);
  }
  if (exposes_) {
    // a block in C itself has no other contributions: nobody reads it
    exposed_c.emplace(communicator, c_block,
                      c_in_place_ ? 0 : m_ * n_ * static_cast<std::int64_t>(sizeof(T)));
    for (Transfer<T>& r : reductions_) r.read_from(*exposed_c);
  }
  for (Transfer<T>& r : reductions_) {
    r.execute(communicator, T(1), c_block, c_in_place_ ? T(1) : beta, c, workspace + staging_,
              traffic.reduce);
  }
}

template class Multiplication<float>;
template class Multiplication<double>;
template class Multiplication<std::complex<float>>;
template class Multiplication<std::complex<double>>;

}  // namespace redblue::linalg
