// SPDX-License-Identifier: BSD-3-Clause
#include "frontend/llvm/module/module.hpp"

#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/ModuleSummaryIndex.h>
#include <llvm/IR/Verifier.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>

#include "process/process.hpp"
#include "redblue/error.hpp"

namespace redblue::frontend::llvm_ir {

namespace {

// The compiler's first complaint, without what surrounds it.
std::string first_error(const std::string& output) {
  std::istringstream lines(output);
  std::string first;
  for (std::string line; std::getline(lines, line);) {
    const auto at = line.find("error: ");
    const bool says_where = line.find("Could not parse") == std::string::npos;
    if (at != std::string::npos && says_where) return line.substr(at + 7);
    if (first.empty()) first = line;
  }
  return first;
}

// IR as text that somebody wrote or changed: LLVM's own reader says on standard error what it
// leaves out, and its passes end the process where a function is broken.
std::unique_ptr<llvm::Module> read_text(const std::string& path, llvm::SMDiagnostic& wrong,
                                        llvm::LLVMContext& context) {
  const auto same_layout = [](llvm::StringRef, llvm::StringRef) -> std::optional<std::string> {
    return std::nullopt;
  };
  std::unique_ptr<llvm::Module> module = std::move(
      llvm::parseAssemblyFileWithIndexNoUpgradeDebugInfo(path, wrong, context, nullptr, same_layout)
          .Mod);
  if (!module) return nullptr;
  std::string complaint;
  llvm::raw_string_ostream complaints(complaint);
  bool broken_debug_information = false;
  if (llvm::verifyModule(*module, &complaints, &broken_debug_information))
    throw Error(path, "this LLVM IR is broken: " + first_error(complaint));
  if (broken_debug_information) llvm::StripDebugInfo(*module);
  return module;
}

// Loops as written: no pass runs, but the IR is that of an optimising compilation, whose functions
// later passes may change and whose loads and stores name their types.
std::vector<std::string> compilation(const std::string& path, Language language,
                                     const std::vector<std::string>& flags, ArrayExpressions arrays,
                                     const std::string& output) {
  std::vector<std::string> command{compiler_of(language)};
  if (language == Language::fortran && arrays == ArrayExpressions::loops) {
    // Flang's own part of the optimisation, which knows arrays, and none of LLVM's.
    command.insert(command.end(), {"-O2", "-mllvm", "-opt-bisect-limit=0", "-g"});
  } else if (language == Language::fortran) {
    command.insert(command.end(), {"-O0", "-g"});
  } else {
    command.insert(command.end(), {"-O1", "-Xclang", "-disable-llvm-passes", "-g", "-w"});
  }
  // Types of the standard library whole: sizes of vectors are read from their members.
  if (language == Language::cpp) command.push_back("-fstandalone-debug");
  // Modules that the file defines go where all else goes.
  if (language == Language::fortran)
    command.insert(command.end(),
                   {"-I.", "-J" + std::filesystem::path(output).parent_path().string()});
  command.insert(command.end(), flags.begin(), flags.end());
  command.insert(command.end(), {"-c", "-emit-llvm", path, "-o", output});
  return command;
}

}  // namespace

std::optional<Language> language_by_ending(const std::string& path) {
  static const std::map<std::string, Language> by_ending{
      {".c", Language::c},         {".cpp", Language::cpp},     {".cc", Language::cpp},
      {".cxx", Language::cpp},     {".C", Language::cpp},       {".f", Language::fortran},
      {".f90", Language::fortran}, {".f95", Language::fortran}, {".f03", Language::fortran},
      {".for", Language::fortran}, {".f08", Language::fortran}, {".F", Language::fortran},
      {".F90", Language::fortran}, {".ll", Language::ir},       {".bc", Language::ir}};
  const auto found = by_ending.find(std::filesystem::path(path).extension().string());
  if (found == by_ending.end()) return std::nullopt;
  return found->second;
}

Language language_of(const std::string& path) {
  if (const auto language = language_by_ending(path)) return *language;
  throw Error(path, "its ending names no language",
              "counting reads .c, .cpp, .cc, .cxx, .f, .f90, .f95, .f03, .f08, .ll and .bc");
}

std::string compiler_of(Language language) {
  switch (language) {
    case Language::cpp:
      return "clang++-19";
    case Language::fortran:
      return "flang-new-19";
    default:
      return "clang-19";
  }
}

TemporaryFolder::TemporaryFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "redblue-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) {
    throw Error("a temporary folder",
                "it cannot be made in " + std::filesystem::temp_directory_path().string(),
                "set TMPDIR to a folder that can be written");
  }
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::unique_ptr<llvm::Module> read_module(llvm::LLVMContext& context, const std::string& path,
                                          const std::vector<std::string>& flags,
                                          ArrayExpressions arrays) {
  const Language language = language_of(path);
  if (!std::ifstream(path).good()) throw Error(path, "it cannot be read");
  const TemporaryFolder folder;
  std::string ir = path;
  if (language != Language::ir) {
    ir = folder.file("program.bc");
    constexpr unsigned most_seconds = 10;  // of a processor; flang needs minutes for huge arrays
    const process::Finished compiler =
        process::run(compilation(path, language, flags, arrays, ir), true, most_seconds);
    if (!compiler.started || compiler.status == 127) {
      throw Error(path, compiler_of(language) + " is not installed",
                  "install the packages clang-19 and flang-19");
    }
    if (compiler.status != 0 && compiler.late) {
      throw Error(path,
                  compiler_of(language) + " takes more than " + std::to_string(most_seconds) +
                      " seconds of a processor",
                  "arrays of a fixed, huge size may be why: make sizes arguments");
    }
    if (compiler.status != 0) {
      throw Error(path, compiler_of(language) + " says: " + first_error(compiler.output),
                  "compiler flags (-I, -D, -fopenmp) go after --");
    }
  }
  llvm::SMDiagnostic wrong;
  const bool is_text = std::filesystem::path(ir).extension() == ".ll";
  std::unique_ptr<llvm::Module> module =
      is_text ? read_text(ir, wrong, context) : llvm::parseIRFile(ir, wrong, context);
  if (!module) {
    throw Error(path + (wrong.getLineNo() > 0 ? ":" + std::to_string(wrong.getLineNo()) : ""),
                "this is no LLVM IR of version 19 or earlier: " + wrong.getMessage().str());
  }
  return module;
}

}  // namespace redblue::frontend::llvm_ir
