// SPDX-License-Identifier: BSD-3-Clause
#include "process/blas.hpp"

#include <fstream>
#include <sstream>

#include "process/compiler.hpp"
#include "process/folder.hpp"
#include "process/process.hpp"
#include "redblue/error.hpp"

namespace redblue::process {

namespace {

std::vector<std::string> words(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> result;
  for (std::string word; in >> word;) result.push_back(word);
  return result;
}

}  // namespace

std::vector<std::string> blas_flags(const std::string& asked) {
  const Folder folder;
  std::ofstream(folder.file("calls.c"))
      << "#include <cblas.h>\nint main(void) {\n  double x = 1;\n  cblas_dgemm(CblasRowMajor, "
         "CblasNoTrans, CblasNoTrans, 1, 1, 1, 1.0, &x, 1, &x, 1, 0.0, &x, 1);\n  return 0;\n}\n";
  std::vector<std::vector<std::string>> libraries = {{"-lopenblas"}, {"-lcblas"}, {"-lblas"}};
  const Finished known = run({"pkg-config", "--libs", "cblas"}, true);
  if (known.started && known.status == 0)
    libraries.insert(libraries.begin() + 1, words(known.output));
  for (const std::vector<std::string>& library : libraries) {
    std::vector<std::string> command = {c_compiler(), folder.file("calls.c"), "-o",
                                        folder.file("calls")};
    command.insert(command.end(), library.begin(), library.end());
    const Finished done = run(command, true);
    if (done.started && done.status == 0) return library;
    if (!done.started) break;
  }
  throw Error(asked, "'" + c_compiler() + "' links no BLAS with <cblas.h>",
              "install one (Debian: libopenblas-dev), or leave --blas out");
}

}  // namespace redblue::process
