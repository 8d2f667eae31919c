// SPDX-License-Identifier: BSD-3-Clause
// A kernel tiled, compiled and called: the same results, far fewer words moved.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <redblue/schedule.hpp>
#include <string>
#include <vector>

using Distances = void (*)(int n, int m, double* x, double* d);

// The function `distances` of a C file; null where it does not compile. No fused multiply-add, so
// that both versions compute the same bits.
Distances compiled(const std::string& file, const std::string& library) {
  const std::string command = "cc -O2 -ffp-contract=off -shared -fPIC " + file + " -o " + library;
  if (std::system(command.c_str()) != 0) return nullptr;
  void* loaded = dlopen(library.c_str(), RTLD_NOW);
  return loaded == nullptr ? nullptr : reinterpret_cast<Distances>(dlsym(loaded, "distances"));
}

int main(int argc, char** argv) {
  if (argc != 2) return 2;  // usage: tile examples/distances.c
  const int n = 64, m = 16;
  redblue::ScheduleRequest request;
  request.program.file = argv[1];
  request.program.sizes = {{"N", n}, {"M", m}, {"S", 256}};
  request.effort = 5;  // million vertices that the search may replay
  const redblue::TiledSchedule schedule = redblue::tiled_schedule(request);
  for (const redblue::TiledBand& band : schedule.bands) {
    for (const auto& loop : band.loops) {
      std::printf("%s in tiles of %lld\n", loop.steps.c_str(), static_cast<long long>(loop.size));
    }
  }
  if (schedule.triangles) {
    std::printf("pairs %s of %lld pieces of the rows, %lld pieces at a time\n",
                schedule.triangles->pairs[0].c_str(),
                static_cast<long long>(schedule.triangles->pieces),
                static_cast<long long>(schedule.triangles->touched));
  }
  const auto before = schedule.own.belady->moved(), after = schedule.tiled.belady->moved();
  std::printf("256 words of fast memory: %lld words moved as written, %lld tiled\n",
              static_cast<long long>(before), static_cast<long long>(after));

  const std::string folder = std::filesystem::absolute(argv[0]).parent_path().string() + "/";
  std::ofstream(folder + "tiled.c") << schedule.code;
  const Distances written = compiled(argv[1], folder + "written.so");
  const Distances tiled = compiled(folder + "tiled.c", folder + "tiled.so");
  if (written == nullptr || tiled == nullptr) return 1;
  std::vector<double> x(n * m), d(n * n), e(n * n);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = 1.0 / static_cast<double>(i + 1);
  written(n, m, x.data(), d.data());
  tiled(n, m, x.data(), e.data());
  const bool right = d == e && d[1] > 0 && after < before;
  std::printf("the results are %s\n", right ? "the same" : "WRONG");
  return right ? 0 : 1;
}
