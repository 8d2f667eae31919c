// SPDX-License-Identifier: BSD-3-Clause
// every_order FILE FOLDER SEED: writes C for loop orders of the file's program with tiles that no
// search would choose, and for the orders made for speed on several processors; prints the names
// of the files in FOLDER. Those that it writes depend on the seed.
#include <cstdio>
#include <exception>
#include <fstream>
#include <string>
#include <vector>

#include "frontend/read.hpp"
#include "redblue/measure.hpp"
#include "schedule/choice/choice.hpp"
#include "schedule/choice/neighbours.hpp"
#include "schedule/inside/shifted.hpp"
#include "schedule/interchange.hpp"
#include "schedule/late/late_tiles.hpp"
#include "schedule/nests.hpp"
#include "schedule/search/code.hpp"
#include "schedule/search/ordering.hpp"
#include "schedule/search/search.hpp"
#include "schedule/some_tiles.hpp"

namespace redblue::test {
namespace {

constexpr std::size_t most_orders = 3;

void write(const std::string& folder, const std::string& name, const std::string& code) {
  std::ofstream(folder + "/" + name) << code;
  std::puts(name.c_str());
}

void write_orders(const program::Program& program, const std::string& folder, std::size_t seed) {
  std::vector<schedule::Nest> nests = schedule::nests(program);
  for (schedule::Nest& nest : schedule::independent_first(program, nests))
    nests.push_back(std::move(nest));
  for (schedule::Nest& nest : schedule::nests_shifted(program, {}))
    nests.push_back(std::move(nest));
  for (std::size_t n = nests.size(); n-- > 0;) {
    if (auto changed = schedule::parallel_loops_inside(nests[n]))
      nests.push_back(std::move(*changed));
  }
  for (std::size_t n = 0; n < most_orders && n < nests.size(); ++n) {
    const schedule::Nest& nest = nests[(seed + n) % nests.size()];
    const isl::union_map times = schedule::times(nest, some_tiles(nest));
    const auto families = schedule::needed(program, times, nest.families);
    write(folder, "order" + std::to_string(n) + ".c", schedule::code(program, times, families));
  }
}

void write_late_tiles(const program::Program& program, const std::string& folder,
                      std::size_t seed) {
  const auto copied = schedule::with_step_copies(program);
  if (!copied) return;
  const auto tiles = schedule::late_tiles(*copied, 2 + static_cast<std::int64_t>(seed % 5));
  if (tiles) write(folder, "late.c", schedule::code(*tiles));
}

// What a search for a faster order would try.
struct Near {
  const program::Program& program;
  const FastCodeRequest& request;
  const std::string& folder;
};

void write_neighbour(const Near& near, std::size_t seed) {
  using namespace schedule::codegen;
  const redblue::Processor& p = near.request.processor;
  const schedule::codegen::Processor processor{p.cache_bytes / 8, p.vector_bytes, p.threads};
  const Orders orders(near.program, near.request.program.sizes, processor);
  if (orders.nests() == 0) return;
  const auto from = orders.modelled(static_cast<int>(seed) % orders.nests());
  if (!from) return;
  const auto all = neighbours(from->choice, orders.bands(from->choice.nest), processor);
  for (std::size_t n = 0; n < all.size(); ++n) {
    const auto made = orders.made(all[(seed + n) % all.size()].choice);
    if (!made) continue;
    write(near.folder, "neighbour.c", emitted(made->program, made->schedule, made->exclusive));
    return;
  }
}

// Caches that hold next to nothing, so that small sizes have tiles; registers of every width.
void write_fast(const BoundRequest& file, const program::Program& program,
                const std::string& folder, std::size_t seed) {
  const std::vector<Processor> processors = {{1 << 20, 32}, {1 << 11, 16}, {1 << 14, 64}};
  FastCodeRequest request{file, processors[seed % processors.size()]};
  constexpr std::int64_t large = 300;
  for (const std::string& p : program.parameters) request.program.sizes[p] = large;
  const FastCode fast = fast_code(request);
  if (fast.changed) write(folder, "fast.c", fast.code);
  write_neighbour({program, request, folder}, seed);
}

}  // namespace
}  // namespace redblue::test

int main(int count, char** words) {
  if (count != 4) {
    std::fputs("every_order FILE FOLDER SEED\n", stderr);
    return 2;
  }
  try {
    redblue::BoundRequest file;
    file.file = words[1];
    const redblue::program::Program program = redblue::frontend::read(file);
    const std::size_t seed = std::stoul(words[3]);
    redblue::test::write_orders(program, words[2], seed);
    redblue::test::write_late_tiles(program, words[2], seed);
    redblue::test::write_fast(file, program, words[2], seed);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 2;
  }
  return 0;
}
