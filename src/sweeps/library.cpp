// SPDX-License-Identifier: BSD-3-Clause
#include "sweeps/library.hpp"

#include <dlfcn.h>
#include <pthread.h>

#include <fstream>

#include "process/folder.hpp"

namespace redblue::sweeps {

Library::Library(const std::string& bytes) {
  const process::Folder folder;
  const std::string path = folder.file("sweeps.so");
  std::ofstream(path, std::ios::binary)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  handle_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle_ == nullptr) {
    const char* why = dlerror();
    throw Error("the compiled sweeps", why == nullptr ? "they cannot be loaded" : why,
                "let TMPDIR name a folder with room whose files may be executed");
  }
}

Library::~Library() {
  dlclose(handle_);
}

void* Library::function(const std::string& name) const {
  void* const found = dlsym(handle_, name.c_str());
  if (found == nullptr) throw Error("the compiled sweeps", "no function " + name);
  return found;
}

Library::SweepFunction Library::sweep(std::size_t number) const {
  return reinterpret_cast<SweepFunction>(function("redblue_sweep_" + std::to_string(number)));
}

void Library::run_sequentially(const StencilSource& source, void* const* fields,
                               void* const* inputs) const {
  using Function = void (*)(void* const*, void* const*, const double*);
  struct Call {
    Function function;
    void* const* fields;
    void* const* inputs;
    const double* scalars;
  } call{reinterpret_cast<Function>(function("redblue_sequential")), fields, inputs,
         source.scalar_values.data()};
  std::int64_t words = 0;
  for (const SourceField& field : source.fields) {
    if (field.local) words += field.extents[0] * field.extents[1] * field.extents[2];
  }
  constexpr std::size_t room = 16 << 20;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, room + static_cast<std::size_t>(words) * sizeof(double));
  pthread_t thread{};
  const int failed = pthread_create(
      &thread, &attributes,
      [](void* of) -> void* {
        const auto& c = *static_cast<const Call*>(of);
        c.function(c.fields, c.inputs, c.scalars);
        return nullptr;
      },
      &call);
  pthread_attr_destroy(&attributes);
  if (failed != 0) {
    throw Error("the sequential program", "no memory for the arrays that its loops declare",
                "give smaller sizes, or --no-check");
  }
  pthread_join(thread, nullptr);
}

}  // namespace redblue::sweeps
