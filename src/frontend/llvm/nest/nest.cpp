// SPDX-License-Identifier: BSD-3-Clause
#include "frontend/llvm/nest/nest.hpp"

#include <exception>

#include "frontend/c/frontend.hpp"
#include "frontend/llvm/module/module.hpp"
#include "frontend/llvm/nest/writer.hpp"
#include "frontend/llvm/source.hpp"
#include "redblue/error.hpp"

namespace redblue::frontend::llvm_ir {

namespace {

Written written_from(const std::string& path, const std::string& function,
                     const std::vector<std::string>& flags) {
  Source source = read_to_bound(path, function, flags);
  llvm::DominatorTree dominators(*source.entry);
  const llvm::LoopInfo loops(dominators);
  Recorder recorder(*source.entry, source.reading);
  const counting::Function model =
      Structure(*source.entry, loops, dominators, source.reading, source.numbers, &recorder)
          .read(source.reading.program.main);
  Written result = written(model, recorder, path);
  for (const std::string& what : source.reading.program.assumptions) result.taken.push_back(what);
  return result;
}

Written read(const std::string& path, const std::string& function,
             const std::vector<std::string>& flags) {
  try {
    return written_from(path, function, flags);
  } catch (const Error&) {
    throw;
  } catch (const std::exception&) {  // of GiNaC
    throw Error(path, "a formula of its loops or subscripts cannot be worked out",
                "write sums of loop variables and sizes");
  }
}

}  // namespace

std::string as_c(const std::string& path, const std::string& function,
                 const std::vector<std::string>& flags) {
  return read(path, function, flags).text;
}

bool reads(const std::string& path) {
  const auto language = language_by_ending(path);
  return language == Language::fortran || language == Language::ir;
}

program::Program parse(const std::string& path, const std::string& function,
                       const std::vector<std::string>& flags) {
  const Written nest = read(path, function, flags);
  program::Program program = c::parse_text(path, nest.text, nest.function);
  for (const std::string& what : nest.assumed) program.assumed.push_back(what);
  program.taken = nest.taken;
  if (language_of(path) == Language::ir)
    program.taken.push_back("arrays of different names share no memory");
  for (const std::string& name : nest.local) {
    const auto array = program.arrays.find(name);
    if (array == program.arrays.end()) continue;
    array->second.read_after = program::dead_array(name, array->second.dimensions).read_after;
    array->second.why = "local to the function";
  }
  if (program.region.no_code.empty()) program.region.no_code = "it was read from LLVM's IR";
  return program;
}

}  // namespace redblue::frontend::llvm_ir
