// redblue compare: redblue and the ScaLAPACK of this machine on the same data in the same run.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "cli/compare_plot.hpp"
#include "cli/element_type.hpp"
#include "cli/message_counts.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/parallel.hpp"
#include "cli/peer.hpp"
#include "comm/communicator.hpp"
#include "linalg/blas.hpp"
#include "linalg/caller_layouts.hpp"
#include "linalg/gemm_check.hpp"
#include "redblue/error.hpp"
#include "redblue/linalg.hpp"

namespace redblue::cli {

namespace {

struct Options {
  GemmOptionTexts gemm;
  std::string type = "d", op_a = "N", op_b = "N", block = "64", grid, repeat = "5", library, plot;
  bool json = false;
};

struct Setting {
  GemmPlanRequest request;
  int grid_rows = 1;
  int grid_columns = 1;
  std::int64_t block = 64;
  std::int64_t repeat = 5;
  Op op_a = Op::none;
  Op op_b = Op::none;
};

// Resident memory beyond what was there when it was made, at its highest. Linux.
class PeakMemory {
 public:
  PeakMemory() {
    std::ofstream("/proc/self/clear_refs") << "5\n";
    before_ = status("VmRSS:");
  }
  Bytes beyond() const { return Bytes(std::max<std::int64_t>(0, status("VmHWM:") - before_)); }

 private:
  static std::int64_t status(const std::string& key) {
    std::ifstream in("/proc/self/status");
    for (std::string line; std::getline(in, line);) {
      std::istringstream fields(line);
      std::string name;
      std::int64_t kilobytes = 0;
      if (fields >> name >> kilobytes && name == key) return kilobytes * 1024;
    }
    return 0;
  }
  std::int64_t before_ = 0;
};

// What one library did, the busiest rank each.
struct Side {
  std::string name;
  std::vector<double> seconds;  // first call first, planning included
  std::int64_t words = 0;
  std::int64_t memory_bytes = 0;
  Residual residual;
};

template <class T>
struct Data {
  GemmShape shape;
  GemmLayouts layouts;
  std::vector<layout::Patch> held_c;
  std::vector<T> a, b, c;
};

template <class T>
Data<T> data_for(const comm::Communicator& world, const Setting& s) {
  const GemmShape& shape = s.request.shape;
  const auto cyclic = [&](std::int64_t rows, std::int64_t columns, Op op) {
    if (op != Op::none) std::swap(rows, columns);
    return block_cyclic(rows, columns, s.block, s.grid_rows, s.grid_columns, world.rank());
  };
  Data<T> data{shape,
               {s.op_a, cyclic(shape.m, shape.k, s.op_a), s.op_b, cyclic(shape.k, shape.n, s.op_b),
                cyclic(shape.m, shape.n, Op::none)},
               {},
               {},
               {},
               {}};
  const auto me = static_cast<std::size_t>(world.rank().value);
  const auto fill = [&](const Layout& layout, Op op, std::uint64_t seed) {
    // op(X) is the random matrix, so that one check serves all operations
    std::vector<T> values = random_array<T>(arrangement_of(layout, op, world.size()).of_rank[me],
                                            array_words(layout, world.rank()), seed);
    if (op == Op::conjugate_transpose) {
      for (T& x : values) x = conjugated(x);
    }
    return values;
  };
  data.a = fill(data.layouts.a, s.op_a, seed_a);
  data.b = fill(data.layouts.b, s.op_b, seed_b);
  data.c.resize(static_cast<std::size_t>(array_words(data.layouts.c, world.rank()).value));
  data.held_c = arrangement_of(data.layouts.c, Op::none, world.size()).of_rank[me];
  return data;
}

// One timed call; the first also counts words, memory and residual.
template <class T, class Call>
void measure(comm::Communicator& world, Data<T>& data, Side& side, Call call) {
  const bool first = side.seconds.empty();
  std::fill(data.c.begin(), data.c.end(), T(0));
  const PeakMemory memory;
  world.barrier();
  start_counting_messages();
  const double start = comm::seconds();
  call();
  const double elapsed = comm::seconds() - start;
  const Bytes received = counted_bytes_received();
  side.seconds.push_back(world.maximum(elapsed));
  side.words = world.maximum(received.value) / static_cast<std::int64_t>(sizeof(T));
  if (!first) return;
  side.memory_bytes = world.maximum(memory.beyond().value);
  side.residual = check_product(world, data.shape, data.held_c, data.c.data());
}

template <class T>
std::array<Side, 2> compare(const Setting& s, const std::string& library) {
  comm::Communicator world(MPI_COMM_WORLD);
  const Peer peer(library, s.grid_rows, s.grid_columns);
  Data<T> data = data_for<T>(world, s);
  // Neither library is to pay for the first messages between ranks and the BLAS's own start.
  world.exchange(std::vector<std::int64_t>(static_cast<std::size_t>(world.size())));
  blas::warm_up<T>();
  Side mine{"redblue", {}, 0, 0, {}};
  Side theirs{"ScaLAPACK", {}, 0, 0, {}};
  std::unique_ptr<GemmPlan<T>> plan;
  for (std::int64_t r = 0; r < s.repeat; ++r) {
    measure(world, data, mine, [&] {
      if (plan == nullptr) {
        plan = std::make_unique<GemmPlan<T>>(
            MPI_COMM_WORLD, data.layouts,
            GemmOptions{s.request.memory, s.request.objective, s.request.machine, true, {}});
      }
      plan->execute(T(1), data.a.data(), data.b.data(), T(0), data.c.data());
    });
    measure(world, data, theirs, [&] {
      peer.gemm(data.layouts, data.shape, T(1), data.a.data(), data.b.data(), T(0), data.c.data());
    });
  }
  mine.name += ", " + plan->name();
  theirs.name += ", " + peer.name();
  return {std::move(mine), std::move(theirs)};
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

// Later calls where there are any: the first also plans.
std::vector<double> later(const Side& side) {
  return side.seconds.size() == 1
             ? side.seconds
             : std::vector<double>(side.seconds.begin() + 1, side.seconds.end());
}

Json to_json(const Side& side, double bound) {
  const std::vector<double> times = later(side);
  Json json = {{"name", side.name},
               {"median_seconds", median(times)},
               {"least_seconds", *std::min_element(times.begin(), times.end())},
               {"most_seconds", *std::max_element(times.begin(), times.end())},
               {"first_seconds", side.seconds.front()},
               {"seconds", side.seconds},
               {"words_received", side.words},
               {"ratio", bound > 0 ? Json(static_cast<double>(side.words) / bound) : Json(nullptr)},
               {"memory_bytes", side.memory_bytes},
               {"residual", side.residual.value},
               {"ok", side.residual.ok}};
  return json;
}

void print_table(const Setting& s, const std::array<Side, 2>& sides, double bound) {
  const GemmShape& shape = s.request.shape;
  fmt::print("{}\n", bold(fmt::format(
                         "gemm {} x {} x {} on {} ranks, blocks of {} on a {} x {} grid", shape.m,
                         shape.n, shape.k, s.request.ranks, s.block, s.grid_rows, s.grid_columns)));
  fmt::print("  {:44} {:>9} {:>19} {:>9} {:>14} {:>7} {:>10}\n", "", "median s", "least .. most",
             "first s", "words (worst)", "/ bound", "MiB beyond");
  for (const Side& side : sides) {
    const std::vector<double> times = later(side);
    fmt::print("  {:44} {:9.4f} {:>19} {:9.4f} {:>14} {:>7} {:10.1f}{}\n", side.name, median(times),
               fmt::format("{:.4f} .. {:.4f}", *std::min_element(times.begin(), times.end()),
                           *std::max_element(times.begin(), times.end())),
               side.seconds.front(), grouped(side.words),
               bound > 0 ? fmt::format("{:.2f}", static_cast<double>(side.words) / bound) : "-",
               static_cast<double>(side.memory_bytes) / (1 << 20),
               side.residual.ok ? "" : "  WRONG RESULT");
  }
  fmt::print("  redblue is {:.2f} times as fast (median); first call / later calls {:.2f}\n",
             median(later(sides[1])) / median(later(sides[0])),
             sides[0].seconds.front() / median(later(sides[0])));
}

Op operation(const std::string& option, const std::string& text) {
  if (text == "N") return Op::none;
  if (text == "T") return Op::transpose;
  if (text == "C") return Op::conjugate_transpose;
  throw Error(option + " " + text, "no operation", "give N, T or C");
}

// "2x3", or the squarest grid of all ranks.
void read_grid(const std::string& text, Setting& s) {
  const int ranks = s.request.ranks;
  if (text.empty()) {
    s.grid_rows = static_cast<int>(std::sqrt(static_cast<double>(ranks)));
    while (ranks % s.grid_rows != 0) --s.grid_rows;
    s.grid_columns = ranks / s.grid_rows;
    return;
  }
  const auto cross = text.find('x');
  if (cross == std::string::npos) {
    throw Error("--grid " + text, "no ROWSxCOLUMNS", "write --grid 2x3");
  }
  const std::int64_t rows = whole_number("--grid", text.substr(0, cross));
  const std::int64_t columns = whole_number("--grid", text.substr(cross + 1));
  if (rows < 1 || columns < 1 || rows > ranks || columns > ranks / rows) {
    throw Error("--grid " + text, std::to_string(ranks) + " ranks", "give a grid of at most these");
  }
  s.grid_rows = static_cast<int>(rows);
  s.grid_columns = static_cast<int>(columns);
}

Setting setting_of(const Options& options, int ranks) {
  Setting s;
  s.request = options.gemm.request(ranks);
  for (const std::int64_t x : {s.request.shape.m, s.request.shape.n, s.request.shape.k}) {
    if (x < 1 || x > 2147483647) {
      throw Error("compare gemm", "a size of " + std::to_string(x),
                  "ScaLAPACK counts from 1 to 2147483647");
    }
  }
  s.block = whole_number("--block", options.block);
  s.repeat = whole_number("--repeat", options.repeat);
  if (s.block < 1) throw Error("--block " + options.block, "no block", "give 1 or more");
  if (s.repeat < 1) throw Error("--repeat " + options.repeat, "nothing to run", "give 1 or more");
  s.op_a = operation("--transa", options.op_a);
  s.op_b = operation("--transb", options.op_b);
  read_grid(options.grid, s);
  return s;
}

int run(const Options& options) {
  blas::use_one_thread();
  const auto [size, speaks] = world();
  const Setting s = setting_of(options, size);
  std::unique_ptr<Progress> progress;
  if (speaks) progress = std::make_unique<Progress>("multiplying");
  const std::array<Side, 2> sides = with_type(
      options.type, [&](auto element) { return compare<decltype(element)>(s, options.library); });
  progress.reset();
  const bool ok = sides[0].residual.ok && sides[1].residual.ok;
  if (!speaks) return ok ? 0 : 1;
  const double bound = gemm_lower_bound(s.request.shape, size, s.request.memory);
  if (!options.plot.empty()) {
    write_file(options.plot,
               times_plot({{sides[0].name, sides[0].seconds}, {sides[1].name, sides[1].seconds}}));
  }
  if (options.json) {
    const GemmShape& shape = s.request.shape;
    print_json({{"ranks", size},
                {"m", shape.m},
                {"n", shape.n},
                {"k", shape.k},
                {"type", options.type},
                {"grid", {s.grid_rows, s.grid_columns}},
                {"block", s.block},
                {"lower_bound", bound},
                {"redblue", to_json(sides[0], bound)},
                {"scalapack", to_json(sides[1], bound)},
                {"speedup", median(later(sides[1])) / median(later(sides[0]))},
                {"first_over_later", sides[0].seconds.front() / median(later(sides[0]))},
                {"ok", ok}});
  } else {
    print_table(s, sides, bound);
  }
  return ok ? 0 : 1;
}

}  // namespace

void add_compare(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand(
      "compare", "Run a kernel beside the ScaLAPACK of this machine: same data, same run");
  command->require_subcommand(1);
  command->footer("Example:\n  mpirun -n 4 redblue compare gemm -m 1200 -n 1200 -k 1200");
  const auto options = std::make_shared<Options>();
  CLI::App* gemm = command->add_subcommand(
      "gemm", "C (m x n) = op(A) (m x k) op(B) (k x n), random, block-cyclic before and after");
  options->gemm.add_to(*gemm);
  add_type(*gemm, options->type);
  gemm->add_option("--transa", options->op_a, "N, T or C: how A is stored")->capture_default_str();
  gemm->add_option("--transb", options->op_b, "N, T or C: how B is stored")->capture_default_str();
  gemm->add_option("--block", options->block, "Rows and columns of a block")->capture_default_str();
  gemm->add_option("--grid", options->grid, "Process grid, as 2x3 (default: the squarest)");
  gemm->add_option("--repeat", options->repeat, "Calls of each, alternating; the first plans")
      ->capture_default_str();
  gemm->add_option("--scalapack", options->library, "The ScaLAPACK library (default: found)");
  gemm->add_option("--plot", options->plot, "Write the times of all calls to this file, as SVG");
  gemm->add_flag("--json", options->json, "Print JSON");
  gemm->footer(
      "Words are those all MPI calls moved to the busiest rank (collectives at their least), "
      "memory "
      "what the process used beyond its data in the first call. MPI and BLAS are warm before it.\n"
      "Exit status 1 when a result is wrong.\n\nExample:\n"
      "  mpirun -n 4 redblue compare gemm -m 1200 -n 1200 -k 1200");
  gemm->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace redblue::cli
