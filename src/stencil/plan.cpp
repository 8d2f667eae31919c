// SPDX-License-Identifier: BSD-3-Clause
// The public plan of a stencil: chooses, allocates, and goes through the stages.
#include <algorithm>
#include <new>
#include <optional>
#include <string>

#include "comm/communicator.hpp"
#include "linalg/blas/buffer.hpp"
#include "machine/sharing.hpp"
#include "redblue/error.hpp"
#include "redblue/stencil.hpp"
#include "stencil/agreement.hpp"
#include "stencil/chunk.hpp"
#include "stencil/model/box.hpp"
#include "stencil/overlap.hpp"
#include "stencil/rates.hpp"
#include "stencil/stages.hpp"

namespace redblue {

using namespace stencil;
using comm::Communicator;
using comm::Message;

template <class T>
struct StencilPlan<T>::Impl {
  Communicator communicator;
  StencilProgram program;
  Sweeps sweeps;
  std::vector<StencilUpdate<T>> updates;
  StencilDecomposition decomposition;
  StencilCost predicted;
  std::vector<StencilBlock> blocks;
  Machine machine;
  StencilRates rates;
  bool overlap = false;

  // for a number of steps
  std::optional<std::int64_t> steps;
  std::optional<Tiling> tiling;
  Rounds rounds;
  Stages stages;
  std::vector<Chunk<T>> chunks;
  linalg::Buffer<T> memory;  // of all chunks, then messages to send, then received ones
  T* send_buffer = nullptr;
  T* receive_buffer = nullptr;
  std::optional<TileRunner<T>> runner;

  std::vector<MPI_Request> sends, receives;
  StencilTraffic traffic;

  Impl(MPI_Comm original, const StencilProgram& p, std::vector<StencilUpdate<T>> u,
       const StencilOptions& options)
      : communicator(original), program(p), sweeps(p), updates(std::move(u)) {
    if (!same_lists(communicator, as_numbers(program, options))) {
      throw Error("stencil", "ranks ask for different things", "pass the same on all ranks");
    }
    if (!communicator.all(updates.size() == program.sweeps.size())) {
      throw Error("stencil of " + std::to_string(program.sweeps.size()) + " sweeps",
                  std::to_string(updates.size()) + " updates", "give one update per sweep");
    }
    choose(options);
    blocks = blocks_of(program, decomposition, communicator.rank());
    runner.emplace(sweeps, updates);
    prepare(options.steps, options.memory);
  }

  void choose(const StencilOptions& options) {
    StencilPlanRequest request;
    request.program = program;
    request.steps = options.steps;
    request.ranks = communicator.size();
    request.scheme = options.scheme;
    request.depth = options.depth;
    request.side = options.side;
    request.machine = options.machine;
    request.rates.seconds_per_update = options.seconds_per_update;
    request.rates.word_bytes = sizeof(T);
    const double points = static_cast<double>(whole_mesh(program).points()) /
                          static_cast<double>(communicator.size());
    const bool open =
        !options.decomposition &&
        (!options.scheme || (*options.scheme != StencilScheme::pa0 && !options.depth));
    if (open && !options.seconds_per_update) {
      request.rates =
          measured_rates<T>(communicator, sweeps, updates, static_cast<std::int64_t>(points));
    }
    request.machine =
        with_memory(communicator, request.machine,
                    Bytes(static_cast<std::int64_t>(
                        points * static_cast<double>(arrays_of(sweeps) * sizeof(T)))));
    request.memory = options.memory;
    if (options.decomposition) {
      decomposition = *options.decomposition;
      if (decomposition.ranks != communicator.size()) {
        throw Error("stencil by " + decomposition.name(),
                    "made for " + std::to_string(decomposition.ranks) + " ranks",
                    "use as many ranks as the communicator has");
      }
      predicted = cost_of(program, decomposition, options.steps, request.machine, request.rates);
    } else {
      const StencilPlanReport report = plan_stencil(request);
      decomposition = report.decomposition;
      predicted = report.cost;
    }
    machine = request.machine;
    rates = request.rates;
    overlap = options.overlap && communicator.size() > 1;
  }

  // Everything an execution of this many steps needs.
  void prepare(std::int64_t count, std::optional<Words> limit) {
    steps.reset();
    tiling.emplace(program, decomposition, count);
    rounds = rounds_of(*tiling);
    stages = stages_of(communicator, *tiling, rounds);
    chunks.clear();
    std::int64_t words = stages.send_words + stages.receive_words;
    for (const ChunkIndex& chunk : tiling->chunks_of(communicator.rank())) {
      chunks.emplace_back(sweeps, tiling->storage(chunk));
      words += chunks.back().words();
    }
    const std::int64_t most = communicator.maximum(words);
    if (limit && most > limit->value) {
      throw Error("stencil in " + std::to_string(limit->value) + " words",
                  "a rank holds " + std::to_string(most), "give more memory", most);
    }
    bool allocated = true;
    try {
      memory.resize(words);
    } catch (const std::bad_alloc&) {
      allocated = false;
    }
    if (!communicator.all(allocated)) {
      throw Error("stencil", "a rank has no memory for its part", "use more ranks");
    }
    T* at = memory.data();
    for (Chunk<T>& c : chunks) {
      c.use(at);
      at += c.words();
    }
    send_buffer = at;
    receive_buffer = at + stages.send_words;
    block_for_cache();
    if (overlap && tiling->redundant()) {
      const double slowdown = slowdown_by_sharing(machine, communicator.size());
      split_for_overlap(*tiling, communicator.rank(),
                        {machine.latency_seconds, sizeof(T) / machine.bytes_per_second,
                         slowdown * rates.seconds_per_row},
                        stages);
    }
    steps = count;
  }

  void block_for_cache() {
    const std::optional<LocalMemory> local = local_memory(machine, rates);
    if (!local || chunks.size() != 1 || tiling->kinds().empty()) return;
    runner->block(
        cache_blocking(sweeps, chunks.front().storage(), tiling->kinds().front().sweeps, *local));
  }

  // ---------------------------------------------------------------- execution

  // Which of the field's buffers has its values where `part` says 0, in a pass that starts with
  // sweep `pass`.
  int buffer_of(const Part& part, std::int64_t pass) const {
    return part.buffer ^ sweeps.buffer(part.field, pass);
  }

  void start(const Stage& stage, std::int64_t pass) {
    constexpr int tag = 0;
    std::int64_t at = 0;
    for (const PeerParts& m : stage.receives) {
      communicator.receive(receive_buffer, Message::of<T>(Rank{m.peer}, tag, {{at, m.words}}),
                           receives, traffic.exchange);
      at += m.words;
    }
    T* to = send_buffer;
    for (const PeerParts& m : stage.sends) {
      const std::int64_t offset = to - send_buffer;
      for (const Part& p : m.parts) {
        to = chunks[p.chunk].pack(p.field, p.constant ? 0 : buffer_of(p, pass), p.box, to);
      }
      communicator.send(send_buffer, Message::of<T>(Rank{m.peer}, tag, {{offset, m.words}}), sends,
                        traffic.exchange);
    }
    for (const Copy& c : stage.copies) {
      MeshIndex shift;
      for (std::size_t j = 0; j < most_dimensions; ++j) {
        shift[j] = c.to.box.begin[j] - c.from.box.begin[j];
      }
      for_buffers(c.to, pass, [&](int buffer) {
        chunks[c.to.chunk].copy(c.to.field, buffer, c.to.box, chunks[c.from.chunk], shift);
      });
    }
    if (!stage.receives.empty() || !stage.sends.empty()) ++traffic.synchronisations;
  }

  template <class F>
  void for_buffers(const Part& part, std::int64_t pass, F f) const {
    if (part.constant) {
      f(0);
      if (sweeps.two_buffers(part.field)) f(1);
    } else {
      f(buffer_of(part, pass));
    }
  }

  void finish_receives(const Stage& stage, std::int64_t pass) {
    Communicator::wait(receives);
    const T* from = receive_buffer;
    for (const PeerParts& m : stage.receives) {
      for (const Part& p : m.parts) {
        const T* next = from;
        for_buffers(p, pass, [&](int buffer) {
          next = chunks[p.chunk].unpack(p.field, buffer, p.box, from);
        });
        from = next;
      }
    }
  }

  void compute(const std::vector<ChunkTile>& tiles, std::int64_t pass, std::int64_t first_step) {
    for (const ChunkTile& tile : tiles) {
      traffic.updates += runner->run(chunks[tile.chunk], tile.sweeps, pass, first_step);
    }
  }

  void execute_stage(const Stage& stage, std::int64_t pass, std::int64_t first_step) {
    start(stage, pass);
    compute(stage.early, pass, first_step);
    finish_receives(stage, pass);
    compute(stage.tiles, pass, first_step);
    Communicator::wait(sends);
  }

  // Between the caller's blocks and the chunks that own them, in the order of blocks.
  template <class F>
  void for_each_block(F f) {
    std::int64_t offset = 0;
    const std::vector<ChunkIndex> indices = tiling->chunks_of(communicator.rank());
    for (std::size_t c = 0; c < indices.size(); ++c) {
      const MeshBox box = tiling->owned(indices[c]);
      if (box.empty()) continue;
      f(chunks[c], box, offset);
      offset += box.points();
    }
  }

  void load(std::span<T* const> fields) {
    for_each_block([&](const Chunk<T>& chunk, const MeshBox& box, std::int64_t offset) {
      for (int f = 0; f < program.fields; ++f) {
        const T* const from = fields[static_cast<std::size_t>(f)] + offset;
        chunk.unpack(f, 0, box, from);
        if (sweeps.two_buffers(f)) chunk.unpack(f, 1, box, from);
      }
    });
  }

  void store(std::span<T* const> fields, std::int64_t sweeps_done) {
    for_each_block([&](const Chunk<T>& chunk, const MeshBox& box, std::int64_t offset) {
      for (int f = 0; f < program.fields; ++f) {
        if (sweeps.set_points(f).empty()) continue;
        chunk.pack(f, sweeps.buffer(f, sweeps_done), box,
                   fields[static_cast<std::size_t>(f)] + offset);
      }
    });
  }

  Words owned() const {
    Words words;
    for (const StencilBlock& b : blocks) words += Words(b.box.points());
    return words;
  }

  void check_call(std::span<T* const> fields, std::int64_t count, std::int64_t first_step) {
    const bool right =
        fields.size() == sweeps.fields() &&
        (owned().value == 0 ||
         std::none_of(fields.begin(), fields.end(), [](const T* f) { return f == nullptr; }));
    if (!communicator.all(right)) {
      throw Error("stencil of " + std::to_string(program.fields) + " fields",
                  "a field is missing or null on a rank that owns some of it",
                  "pass owned() words of every field");
    }
    if (!communicator.same_everywhere({count, first_step})) {
      throw Error("stencil", "ranks ask for different steps", "pass the same on all ranks");
    }
    constexpr std::int64_t most_steps = 10'000'000;
    if (count < 0 || count > most_steps) {
      throw Error(std::to_string(count) + " steps of a stencil", "negative or more than 10000000",
                  "execute the plan several times");
    }
  }
};

template <class T>
StencilPlan<T>::StencilPlan(MPI_Comm communicator, const StencilProgram& program,
                            std::vector<StencilUpdate<T>> updates, const StencilOptions& options)
    : impl_(std::make_unique<Impl>(communicator, program, std::move(updates), options)) {}
template <class T>
StencilPlan<T>::~StencilPlan() = default;
template <class T>
StencilPlan<T>::StencilPlan(StencilPlan&&) noexcept = default;
template <class T>
StencilPlan<T>& StencilPlan<T>::operator=(StencilPlan&&) noexcept = default;

template <class T>
const StencilProgram& StencilPlan<T>::program() const {
  return impl_->program;
}
template <class T>
const StencilDecomposition& StencilPlan<T>::decomposition() const {
  return impl_->decomposition;
}
template <class T>
const StencilCost& StencilPlan<T>::predicted() const {
  return impl_->predicted;
}
template <class T>
const std::vector<StencilBlock>& StencilPlan<T>::blocks() const {
  return impl_->blocks;
}
template <class T>
std::vector<StencilBlock> StencilPlan<T>::blocks(Rank rank) const {
  return blocks_of(impl_->program, impl_->decomposition, rank);
}
template <class T>
Words StencilPlan<T>::owned() const {
  return impl_->owned();
}
template <class T>
Words StencilPlan<T>::memory() const {
  return Words(impl_->memory.size());
}
template <class T>
const StencilTraffic& StencilPlan<T>::traffic() const {
  return impl_->traffic;
}

template <class T>
void StencilPlan<T>::execute(std::span<T* const> fields, std::int64_t steps,
                             std::int64_t first_step) {
  Impl& p = *impl_;
  p.check_call(fields, steps, first_step);
  if (p.steps != steps) p.prepare(steps, {});
  p.traffic = {};
  p.load(fields);
  std::int64_t pass = 0;  // its first sweep
  for (const int round : p.rounds.order) {
    const auto r = static_cast<std::size_t>(round);
    for (const Stage& stage : p.stages.rounds[r]) p.execute_stage(stage, pass, first_step);
    pass += p.tiling->kinds()[static_cast<std::size_t>(p.rounds.distinct[r].kind)].sweeps;
  }
  p.execute_stage(p.stages.results, pass, first_step);
  p.store(fields, pass);
}

template class StencilPlan<float>;
template class StencilPlan<double>;

}  // namespace redblue
