// SPDX-License-Identifier: BSD-3-Clause
// Stencil programs from C: what is recognised, what is refused, and that sweeps on parts of the
// mesh compute what the loops compute.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>

#include "redblue/error.hpp"
#include "redblue/stencil_source.hpp"
#include "sweeps/generator.hpp"
#include "sweeps/library.hpp"

namespace redblue {

namespace {

using Sizes = std::map<std::string, std::int64_t>;

BoundRequest request(const std::string& file, const Sizes& sizes) {
  BoundRequest r;
  r.file = file;
  r.sizes = sizes;
  return r;
}

std::string kernel(const std::string& name) {
  return std::string(REDBLUE_SOURCE_DIR) + "/kernels/" + name + ".c";
}

// A file with this text, gone with the object.
class File {
 public:
  explicit File(const std::string& text)
      : path_((std::filesystem::temp_directory_path() /
               ("redblue-sweeps-" + std::to_string(getpid()) + ".c"))
                  .string()) {
    std::ofstream(path_) << text;
  }
  ~File() { std::filesystem::remove(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::string refusal(const std::string& file, const Sizes& sizes) {
  try {
    stencil_source(request(file, sizes));
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

std::string refusal_of(const std::string& parameters, const std::string& loops,
                       const Sizes& sizes) {
  const File file("void f(" + parameters + ") {\n#pragma scop\n" + loops + "#pragma endscop\n}\n");
  return refusal(file.path(), sizes);
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

MeshBox box(MeshIndex begin, MeshIndex end) {
  return {begin, end};
}

// Boxes that make up `whole`, in any order.
std::vector<MeshBox> pieces(const MeshBox& whole, std::mt19937& random) {
  std::vector<MeshBox> all = {whole};
  for (int cut = 0; cut < 4; ++cut) {
    MeshBox& one = all[random() % all.size()];
    const std::size_t k = random() % 3;
    if (one.end[k] - one.begin[k] < 2) continue;
    MeshBox other = one;
    const std::int64_t at =
        one.begin[k] + 1 + static_cast<std::int64_t>(random()) % (one.end[k] - one.begin[k] - 1);
    one.end[k] = at;
    other.begin[k] = at;
    all.push_back(other);
  }
  std::shuffle(all.begin(), all.end(), random);
  return all;
}

template <class T>
struct View {
  T* data;
  MeshIndex first, stride;
  T& at(const MeshIndex& i) const {
    return data[(i[0] - first[0]) * stride[0] + (i[1] - first[1]) * stride[1] +
                (i[2] - first[2]) * stride[2]];
  }
};

template <class F>
void for_each(const MeshBox& b, F f) {
  MeshIndex i;
  for (i[0] = b.begin[0]; i[0] < b.end[0]; ++i[0])
    for (i[1] = b.begin[1]; i[1] < b.end[1]; ++i[1])
      for (i[2] = b.begin[2]; i[2] < b.end[2]; ++i[2]) f(i);
}

// Runs all sweeps piece by piece, each on copies of just what it may read, and the loops as they
// are; returns how many elements differ, and adds those compared to `compared`.
template <class T>
std::int64_t differences(const StencilSource& source, std::uint32_t seed, std::int64_t& compared) {
  const sweeps::Library library(compiled(source, {"-O1"}));
  std::mt19937 random(seed);
  const auto value = [&random] {
    return static_cast<T>(0.5 + static_cast<double>(random()) / 4294967296.);
  };
  const StencilProgram& p = source.program;
  const MeshBox mesh = box({0, 0, 0}, p.extents);
  std::vector<std::vector<T>> arrays, originals, inputs;
  std::vector<View<T>> fields;
  for (const SourceField& field : source.fields) {
    arrays.emplace_back(static_cast<std::size_t>(mesh.points()));
    originals.emplace_back(
        static_cast<std::size_t>(field.extents[0] * field.extents[1] * field.extents[2]));
    for (T& x : originals.back()) x = value();
  }
  const auto in_array = [&](std::size_t f, const MeshIndex& i) -> T* {
    std::int64_t at = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      const std::int64_t x = i[k] - source.origin[k];
      if (x < 0 || x >= source.fields[f].extents[k]) return nullptr;
      at = at * source.fields[f].extents[k] + x;
    }
    return &originals[f][static_cast<std::size_t>(at)];
  };
  for (std::size_t f = 0; f < arrays.size(); ++f) {
    fields.push_back({arrays[f].data(), {0, 0, 0}, {p.extents[1] * p.extents[2], p.extents[2], 1}});
    if (p.dimensions == 2) fields[f].stride = {p.extents[1], 1, 1};
    if (p.dimensions == 1) fields[f].stride = {1, 1, 1};
    for_each(mesh, [&](const MeshIndex& i) {
      if (const T* x = in_array(f, i)) fields[f].at(i) = *x;
    });
  }
  std::vector<void*> input_pointers, array_pointers;
  for (const SourceInput& input : source.inputs) {
    std::int64_t words = 1;
    for (const std::int64_t extent : input.extents) words *= extent;
    inputs.emplace_back(static_cast<std::size_t>(words));
    for (T& x : inputs.back()) x = value();
  }
  for (auto& input : inputs) input_pointers.push_back(input.data());
  for (auto& original : originals) array_pointers.push_back(original.data());
  for (std::int64_t step = 0; step < source.steps; ++step) {
    for (std::size_t s = 0; s < p.sweeps.size(); ++s) {
      const StencilSweep& sweep = p.sweeps[s];
      for (const MeshBox& piece : pieces(sweep.interior, random)) {
        std::vector<View<T>> views(fields.size(), View<T>{nullptr, {}, {}});
        std::vector<std::vector<T>> memory(fields.size());
        std::vector<StencilRead> touched = sweep.reads;
        touched.push_back({sweep.field, {}, {}});
        for (const StencilRead& read : touched) {
          const auto f = static_cast<std::size_t>(read.field);
          if (views[f].data != nullptr) continue;
          MeshBox needed = piece;
          for (std::size_t k = 0; k < 3; ++k) {
            needed.begin[k] -= read.below[k];
            needed.end[k] += read.above[k];
          }
          const std::int64_t row = needed.size(p.dimensions - 1) + 3,
                             plane = row * needed.size(1) + 5;
          memory[f].assign(
              static_cast<std::size_t>(plane * needed.size(0) + row * needed.size(1) + row), T(77));
          views[f] = {memory[f].data(), needed.begin,
                      p.dimensions == 3   ? MeshIndex{plane, row, 1}
                      : p.dimensions == 2 ? MeshIndex{row, 1, 1}
                                          : MeshIndex{1, 1, 1}};
          for_each(needed, [&](const MeshIndex& i) { views[f].at(i) = fields[f].at(i); });
        }
        const auto target = static_cast<std::size_t>(sweep.field);
        library.sweep(s)(&piece, step, views.data(), &views[target], input_pointers.data(),
                         source.scalar_values.data());
        for_each(piece, [&](const MeshIndex& i) { fields[target].at(i) = views[target].at(i); });
      }
    }
  }
  library.run_sequentially(source, array_pointers.data(), input_pointers.data());
  std::int64_t wrong = 0;
  for (std::size_t f = 0; f < arrays.size(); ++f) {
    if (source.fields[f].local) continue;
    for_each(mesh, [&](const MeshIndex& i) {
      const T* expected = in_array(f, i);
      if (expected == nullptr) return;
      ++compared;
      if (std::memcmp(expected, &fields[f].at(i), sizeof(T)) != 0) ++wrong;
    });
  }
  return wrong;
}

void expect_same(const StencilSource& source, std::uint32_t seed) {
  std::int64_t compared = 0;
  const std::int64_t wrong = source.element == "float"
                                 ? differences<float>(source, seed, compared)
                                 : differences<double>(source, seed, compared);
  EXPECT_EQ(wrong, 0) << source.code;
  EXPECT_GT(compared, 0);
}

}  // namespace

TEST(StencilSourceTest, ReadsJacobi) {
  const StencilSource s = stencil_source(request(kernel("jacobi-2d"), {{"T", 10}, {"N", 30}}));
  EXPECT_EQ(s.name, "jacobi_2d");
  EXPECT_EQ(s.element, "double");
  EXPECT_EQ(s.steps, 10);
  ASSERT_EQ(s.fields.size(), 2U);
  EXPECT_EQ(s.fields[0].name, "B");
  EXPECT_EQ(s.fields[1].name, "A");
  EXPECT_EQ(s.program.extents, (MeshIndex{30, 30, 1}));
  ASSERT_EQ(s.program.sweeps.size(), 2U);
  for (int k = 0; k < 2; ++k) {
    const StencilSweep& sweep = s.program.sweeps[static_cast<std::size_t>(k)];
    EXPECT_EQ(sweep.field, k);
    EXPECT_EQ(sweep.interior, box({1, 1, 0}, {29, 29, 1}));
    ASSERT_EQ(sweep.reads.size(), 1U);
    EXPECT_EQ(sweep.reads[0].field, 1 - k);
    EXPECT_EQ(sweep.reads[0].below, (MeshIndex{1, 1, 0}));
    EXPECT_EQ(sweep.reads[0].above, (MeshIndex{1, 1, 0}));
    EXPECT_TRUE(sweep.reads[0].star);
    EXPECT_EQ(s.sweeps[static_cast<std::size_t>(k)].flops, 5);
    EXPECT_EQ(s.needed.sweeps[static_cast<std::size_t>(k)].reads[0].above, (MeshIndex{1, 1, 0}));
  }
}

TEST(StencilSourceTest, ReadsYeesScheme) {
  const StencilSource s =
      stencil_source(request(kernel("fdtd-2d"), {{"T", 5}, {"NX", 20}, {"NY", 25}}));
  ASSERT_EQ(s.fields.size(), 3U);  // ey, ex, hz in the order in which they are set
  ASSERT_EQ(s.inputs.size(), 1U);
  EXPECT_EQ(s.inputs[0].name, "source");
  EXPECT_EQ(s.inputs[0].extents, (std::vector<std::int64_t>{5}));
  ASSERT_EQ(s.program.sweeps.size(), 4U);
  EXPECT_EQ(s.program.sweeps[0].interior, box({0, 0, 0}, {1, 25, 1}));
  EXPECT_TRUE(s.program.sweeps[0].reads.empty());
  EXPECT_EQ(s.program.sweeps[1].interior, box({1, 0, 0}, {20, 25, 1}));
  EXPECT_EQ(s.program.sweeps[2].interior, box({0, 1, 0}, {20, 25, 1}));
  EXPECT_EQ(s.program.sweeps[3].interior, box({0, 0, 0}, {19, 24, 1}));
  for (const StencilRead& read : s.program.sweeps[1].reads) {
    EXPECT_EQ(read.below, (read.field == 2 ? MeshIndex{1, 0, 0} : MeshIndex{0, 0, 0}));
    EXPECT_EQ(read.above, (MeshIndex{0, 0, 0}));
  }
}

TEST(StencilSourceTest, CutsASetIntoBoxes) {
  const StencilSource s =
      stencil_source(request(kernel("horizontal-diffusion"), {{"I", 20}, {"J", 21}, {"K", 5}}));
  EXPECT_EQ(s.steps, 1);
  ASSERT_EQ(s.program.sweeps.size(), 6U);  // lap without its corners is three boxes
  EXPECT_EQ(s.program.sweeps[0].interior, box({1, 2, 0}, {2, 19, 5}));
  EXPECT_EQ(s.program.sweeps[1].interior, box({2, 1, 0}, {18, 20, 5}));
  EXPECT_EQ(s.program.sweeps[2].interior, box({18, 2, 0}, {19, 19, 5}));
  EXPECT_EQ(s.scalars, std::vector<std::string>{"coefficient"});
  EXPECT_TRUE(s.fields[0].local);
}

TEST(StencilSourceTest, SweepsOnPartsDoWhatTheLoopsDo) {
  expect_same(stencil_source(request(kernel("jacobi-1d"), {{"T", 6}, {"N", 40}})), 1);
  expect_same(stencil_source(request(kernel("jacobi-2d"), {{"T", 4}, {"N", 20}})), 2);
  expect_same(stencil_source(request(kernel("heat-3d"), {{"T", 3}, {"N", 11}})), 3);
  expect_same(stencil_source(request(kernel("fdtd-2d"), {{"T", 5}, {"NX", 12}, {"NY", 15}})), 4);
  expect_same(
      stencil_source(request(kernel("horizontal-diffusion"), {{"I", 9}, {"J", 11}, {"K", 4}})), 5);
}

TEST(StencilSourceTest, RandomProgramsDoWhatTheirLoopsDo) {
  int dimensions[4] = {};
  for (const std::uint64_t seed : {1U, 2U, 3U, 7U, 9U, 15U}) {
    const test::RandomStencil random = test::random_stencil(seed);
    const File file(random.text);
    BoundRequest r = request(file.path(), {});
    for (std::size_t at = 0; at < random.set.size();) {
      const std::size_t equals = random.set.find('=', at);
      const std::size_t end = std::min(random.set.find(',', at), random.set.size());
      r.sizes[random.set.substr(at, equals - at)] =
          std::stoll(random.set.substr(equals + 1, end - equals - 1));
      at = end + 1;
    }
    SCOPED_TRACE(random.text + random.set);
    const StencilSource source = stencil_source(r);
    ++dimensions[source.program.dimensions];
    expect_same(source, static_cast<std::uint32_t>(seed));
  }
  for (int d = 1; d <= 3; ++d) EXPECT_GT(dimensions[d], 0) << d;
}

TEST(StencilSourceTest, SweepsMayHaveNoPointsAtTheseSizes) {
  const File file(
      "void f(int T, int N, double A[N], double B[N], double at_time[T]) {\n#pragma scop\n"
      "  for (int t = 0; t < T; t++) {\n"
      "    for (int i = 5; i < N - 5; i++) B[i] = A[i] + at_time[t];\n"
      "    for (int i = 1; i < N - 1; i++) A[i] = 0.25 * (B[i - 1] + B[i + 1]);\n"
      "  }\n#pragma endscop\n}\n");
  expect_same(stencil_source(request(file.path(), {{"T", 3}, {"N", 20}})), 7);
  EXPECT_EQ(stencil_source(request(file.path(), {{"T", 3}, {"N", 8}})).program.sweeps.size(), 1U);
  expect_same(stencil_source(request(file.path(), {{"T", 3}, {"N", 8}})), 7);
}

TEST(StencilSourceTest, EdgesMayBeReadByAClampedSubscript) {
  const File file(
      "void f(int T, int N, double A[N], double B[N]) {\n#pragma scop\n"
      "  for (int t = 0; t < T; t++) {\n"
      "    for (int i = 0; i < N; i++) B[i] = A[i == 0 ? 0 : i - 1] + 0.5 * A[i];\n"
      "    for (int i = 0; i < N; i++) A[i] = 0.25 * B[i];\n  }\n#pragma endscop\n}\n");
  const StencilSource s = stencil_source(request(file.path(), {{"T", 3}, {"N", 20}}));
  EXPECT_EQ(s.origin[0], 1);  // the hull of the distances reaches outside of the array
  EXPECT_EQ(s.program.extents[0], 21);
  EXPECT_TRUE(s.needed.sweeps[0].reads[0].below == MeshIndex{});
  expect_same(s, 6);
}

TEST(StencilSourceTest, WhatIsNoStencilIsRefusedWithItsLine) {
  EXPECT_TRUE(
      contains(refusal(kernel("seidel-2d"), {{"T", 3}, {"N", 10}}), "seidel-2d.c:7: no stencil: "));
  EXPECT_TRUE(contains(refusal(kernel("adi"), {{"T", 3}, {"N", 10}}), "no stencil: "));
  EXPECT_TRUE(contains(refusal(kernel("vertical-advection"), {{"I", 5}, {"J", 6}, {"K", 7}}),
                       "no stencil: "));
  EXPECT_TRUE(
      contains(refusal(kernel("gemm"), {{"NI", 5}, {"NJ", 6}, {"NK", 7}}), "several times"));
  EXPECT_TRUE(contains(refusal(kernel("cholesky"), {{"N", 8}}), "no stencil: "));
  EXPECT_TRUE(contains(refusal(kernel("jacobi-2d"), {{"T", 3}, {"N", 2}}), "no point is updated"));
  EXPECT_TRUE(contains(refusal(kernel("jacobi-2d"), {{"T", 3}}), "no size for N"));
  EXPECT_TRUE(
      contains(refusal(kernel("jacobi-2d"), {{"T", 3}, {"N", 9}, {"M", 9}}), "no parameter"));
  const std::string two = "int T, int N, double A[N], double B[N]";
  const Sizes sizes = {{"T", 4}, {"N", 20}};
  EXPECT_TRUE(contains(refusal_of(two,
                                  "for (int t = 0; t < T; t++) for (int i = 1; i < N; i++) { B[i] "
                                  "= A[i - 1]; A[i] = B[i]; }\n",
                                  sizes),
                       "take turns"));
  EXPECT_TRUE(contains(
      refusal_of(two, "for (int t = 0; t < T; t++) for (int i = t; i < N; i++) B[i] = A[i];\n",
                 sizes),
      "depend on t"));
  EXPECT_TRUE(contains(refusal_of(two,
                                  "for (int t = 0; t < T; t++) { for (int i = 0; i < N; i++) B[i] "
                                  "= A[N - 1 - i]; for (int i = 0; i < N; i++) A[i] = B[i]; }\n",
                                  sizes),
                       "no bounded distance"));
  EXPECT_TRUE(contains(refusal_of(two,
                                  "for (int t = 0; t < T; t++) { if (t > 1) A[0] = 1; for (int i = "
                                  "1; i < N; i++) B[i] = A[i]; }\n",
                                  sizes),
                       "every step"));
  EXPECT_TRUE(contains(
      refusal_of(
          two,
          "for (int t = 0; t < T; t++) for (int i = 0; i < N; i++) if (A[i] > 0) B[i] = A[i];\n",
          sizes),
      "depends on data"));
  EXPECT_TRUE(contains(
      refusal_of("int T, int N, double A[N], float B[N]",
                 "for (int t = 0; t < T; t++) for (int i = 0; i < N; i++) B[i] = A[i];\n", sizes),
      "array of double, others of float"));
}

}  // namespace redblue
