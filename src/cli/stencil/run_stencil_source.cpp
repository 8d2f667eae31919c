// SPDX-License-Identifier: BSD-3-Clause
// redblue run stencil FILE: the file's own loop nests on all ranks, and once as they are.
#include <algorithm>
#include <cstring>
#include <memory>
#include <new>

#include "cli/stencil/stencil_shipment.hpp"
#include "cli/stencil/stencil_source_run.hpp"
#include "matgen/check.hpp"
#include "redblue/error.hpp"
#include "sweeps/library.hpp"

namespace redblue::cli {

namespace {

// What the sweep functions are told has the same layout here and in C.
static_assert(sizeof(MeshBox) == 6 * sizeof(long long));
static_assert(sizeof(FieldView<double>) == sizeof(void*) + 6 * sizeof(long long));

// In [1/2, 3/2), the same on every rank: element `place` of the row-major array with this number.
template <class T>
T first_value(std::uint64_t seed, std::int64_t place, std::size_t number) {
  return static_cast<T>(1 + matgen::random_element(seed, place, static_cast<std::int64_t>(number)));
}

constexpr std::uint64_t seed_fields = 1, seed_inputs = 2;

// Calls f(mesh point, words from the block's first) for each point of a block.
template <class F>
void for_each_point(const MeshBox& box, F f) {
  std::int64_t word = 0;
  MeshIndex i;
  for (i[0] = box.begin[0]; i[0] < box.end[0]; ++i[0]) {
    for (i[1] = box.begin[1]; i[1] < box.end[1]; ++i[1]) {
      for (i[2] = box.begin[2]; i[2] < box.end[2]; ++i[2]) f(i, word++);
    }
  }
}

template <class T>
class SourceRun {
 public:
  SourceRun(comm::Communicator& world, const CompiledStencil& stencil)
      : world_(world), source_(stencil.source), library_(library_of(stencil.library)) {
    for (std::size_t n = 0; n < source_.inputs.size(); ++n) {
      std::int64_t words = 1;
      for (const std::int64_t extent : source_.inputs[n].extents) words *= extent;
      std::vector<T>& input = inputs_.emplace_back(static_cast<std::size_t>(words));
      for (std::int64_t x = 0; x < words; ++x)
        input[static_cast<std::size_t>(x)] = first_value<T>(seed_inputs, x, n);
    }
    for (std::vector<T>& input : inputs_) input_pointers_.push_back(input.data());
  }

  std::vector<StencilUpdate<T>> updates() const {
    std::vector<StencilUpdate<T>> result;
    for (std::size_t s = 0; s < source_.program.sweeps.size(); ++s) {
      result.push_back([function = library_->sweep(s), this](const StencilCall<T>& call) {
        function(&call.box, call.step, call.fields.data(), &call.target, input_pointers_.data(),
                 source_.scalar_values.data());
      });
    }
    return result;
  }

  // This rank's part of a field before the first step; 0 where the mesh is larger than the array.
  std::vector<T> first_part(const StencilPlan<T>& plan, std::size_t field) const {
    std::vector<T> part(static_cast<std::size_t>(plan.owned().value));
    for (const StencilBlock& block : plan.blocks()) {
      for_each_point(block.box, [&](const MeshIndex& i, std::int64_t word) {
        const std::int64_t place = place_of(field, i);
        if (place >= 0)
          part[static_cast<std::size_t>(block.offset + word)] =
              first_value<T>(seed_fields, place, field);
      });
    }
    return part;
  }

  // Values on all ranks that are not bit for bit those of the loops as they are, which rank 0 runs.
  std::int64_t count_wrong(const StencilPlan<T>& plan, const std::vector<std::vector<T>>& parts) {
    const bool is_root = world_.rank().value == 0;
    std::string failure;
    std::vector<std::vector<T>> whole;
    if (is_root) {
      try {
        whole = sequential();
      } catch (const Error& e) {
        failure = e.what();
      } catch (const std::bad_alloc&) {
        failure = "no memory";
      }
    }
    if (!world_.all(failure.empty())) {
      throw Error("the check", "rank 0 has no memory for all arrays",
                  "give smaller sizes, or --no-check");
    }
    std::int64_t wrong = 0;
    for (std::size_t f = 0; f < parts.size(); ++f) {
      if (source_.fields[f].local) continue;
      for (int r = 0; r < world_.size(); ++r) {
        const std::vector<StencilBlock> blocks = plan.blocks(Rank{r});
        const std::vector<T> part = brought_to_root(parts[f], blocks, r);
        if (is_root) wrong += differences(f, blocks, part, whole[f]);
      }
    }
    return world_.maximum(wrong);
  }

 private:
  // Opens the library on all ranks or on none.
  std::unique_ptr<sweeps::Library> library_of(const std::string& bytes) {
    std::unique_ptr<sweeps::Library> library;
    std::string failure;
    try {
      library = std::make_unique<sweeps::Library>(bytes);
    } catch (const Error& e) {
      failure = e.what();
    }
    if (!world_.all(failure.empty())) {
      throw Error("the compiled sweeps",
                  failure.empty() ? "another rank cannot load them" : failure,
                  "let TMPDIR name a folder whose files may be executed");
    }
    return library;
  }

  // Where a mesh point is in the field's own array; -1 outside of it.
  std::int64_t place_of(std::size_t field, const MeshIndex& point) const {
    std::int64_t place = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      const std::int64_t x = point[k] - source_.origin[k];
      const std::int64_t extent = source_.fields[field].extents[k];
      if (x < 0 || x >= extent) return -1;
      place = place * extent + x;
    }
    return place;
  }

  std::vector<std::vector<T>> sequential() {
    std::vector<std::vector<T>> whole(source_.fields.size());
    std::vector<void*> pointers;
    for (std::size_t f = 0; f < whole.size(); ++f) {
      const MeshIndex& extents = source_.fields[f].extents;
      if (!source_.fields[f].local)
        whole[f].resize(static_cast<std::size_t>(extents[0] * extents[1] * extents[2]));
      for (std::size_t x = 0; x < whole[f].size(); ++x)
        whole[f][x] = first_value<T>(seed_fields, static_cast<std::int64_t>(x), f);
      pointers.push_back(whole[f].data());
    }
    library_->run_sequentially(source_, pointers.data(), input_pointers_.data());
    return whole;
  }

  std::vector<T> brought_to_root(const std::vector<T>& mine,
                                 const std::vector<StencilBlock>& blocks, int owner) {
    constexpr int tag = 1;
    std::int64_t words = 0;
    for (const StencilBlock& block : blocks) words += block.box.points();
    if (owner == 0 || words == 0) return world_.rank().value == 0 ? mine : std::vector<T>{};
    Traffic uncounted;
    std::vector<MPI_Request> pending;
    std::vector<T> part;
    if (world_.rank().value == owner) {
      world_.send(mine.data(), comm::Message::of<T>(Rank{0}, tag, {{0, words}}), pending,
                  uncounted);
    } else if (world_.rank().value == 0) {
      part.resize(static_cast<std::size_t>(words));
      world_.receive(part.data(), comm::Message::of<T>(Rank{owner}, tag, {{0, words}}), pending,
                     uncounted);
    }
    comm::Communicator::wait(pending);
    return part;
  }

  std::int64_t differences(std::size_t field, const std::vector<StencilBlock>& blocks,
                           const std::vector<T>& part, const std::vector<T>& whole) const {
    std::int64_t wrong = 0;
    for (const StencilBlock& block : blocks) {
      for_each_point(block.box, [&](const MeshIndex& i, std::int64_t word) {
        const std::int64_t place = place_of(field, i);
        if (place < 0) return;
        const T& value = part[static_cast<std::size_t>(block.offset + word)];
        if (std::memcmp(&value, &whole[static_cast<std::size_t>(place)], sizeof(T)) != 0) ++wrong;
      });
    }
    return wrong;
  }

  comm::Communicator& world_;
  const StencilSource& source_;
  std::unique_ptr<sweeps::Library> library_;
  std::vector<std::vector<T>> inputs_;
  std::vector<void*> input_pointers_;
};

template <class T>
StencilOutcome execute_source(comm::Communicator& world, const CompiledStencil& stencil,
                              const SourceRunOptions& options) {
  SourceRun<T> run(world, stencil);
  StencilPlan<T> plan(MPI_COMM_WORLD, stencil.source.program, run.updates(), options.plan);
  std::vector<std::vector<T>> parts(stencil.source.fields.size());
  StencilOutcome o;
  RunRecord record(world, options.record);
  for (std::int64_t r = 0; r < options.repeat; ++r) {
    std::vector<T*> pointers;
    for (std::size_t f = 0; f < parts.size(); ++f) {
      parts[f] = run.first_part(plan, f);
      pointers.push_back(parts[f].data());
    }
    o.seconds.push_back(record.seconds_of([&] { plan.execute(pointers, options.plan.steps); }));
    if (options.progress)
      options.progress({static_cast<double>(r + 1), static_cast<double>(options.repeat), {}, {}});
  }
  count(world, plan, o);
  keep<T>(world, options.record, record, "stencil", o);
  o.lower_bound = stencil_lower_bound(stencil.source.needed, o.decomposition, options.plan.steps);
  if (options.check) o.wrong = run.count_wrong(plan, parts);
  return o;
}

}  // namespace

StencilOutcome run_source(const CompiledStencil& stencil, const SourceRunOptions& options) {
  comm::Communicator world(MPI_COMM_WORLD);
  return stencil.source.element == "float" ? execute_source<float>(world, stencil, options)
                                           : execute_source<double>(world, stencil, options);
}

}  // namespace redblue::cli
