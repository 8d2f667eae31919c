// SPDX-License-Identifier: BSD-3-Clause
#include "cli/new_file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "redblue/error.hpp"

namespace redblue::cli {

namespace {

namespace fs = std::filesystem;

// A new file in the folder of `path`; empty where none can be made.
std::string beside(const std::string& path) {
  std::string name = path + ".XXXXXX";
  const int file = mkstemp(name.data());
  if (file < 0) return "";
  close(file);
  return name;
}

// What the file that it replaces allows, or what new files do.
fs::perms permissions(const std::string& path) {
  std::error_code none;
  const fs::file_status there = fs::status(path, none);
  if (fs::exists(there)) return there.permissions();
  const mode_t mask = umask(0);
  umask(mask);
  constexpr unsigned all = 0666;
  return static_cast<fs::perms>(all & ~static_cast<unsigned>(mask));
}

}  // namespace

NewFile::NewFile(const std::string& option, const std::string& path)
    : option_(option), path_(path) {
  std::error_code none;
  if (fs::exists(path, none) && !fs::is_regular_file(path, none)) {
    in_place_ = true;
    if (fs::is_directory(path, none))
      throw Error(option + " " + path, "it is a folder", "give a file, as in report.html");
    if (access(path.c_str(), W_OK) == 0) return;
    throw Error(option + " " + path, "it cannot be written", "give a path that can");
  }
  // A link stays one: what it leads to is replaced.
  if (fs::exists(path, none)) path_ = fs::canonical(path, none).string();
  const bool locked = fs::exists(path_, none) && access(path_.c_str(), W_OK) != 0;
  const std::string trial = locked ? "" : beside(path_);
  if (trial.empty())
    throw Error(option + " " + path, "it cannot be written", "give a path that can");
  fs::remove(trial, none);
}

void NewFile::write(const std::string& text) const {
  std::error_code failed;
  const std::string name = in_place_ ? path_ : beside(path_);
  bool written = false;
  if (!name.empty()) {
    std::ofstream out(name, std::ios::binary);
    out << text;
    out.close();
    written = !out.fail();
    if (!in_place_ && written) {
      fs::permissions(name, permissions(path_), failed);
      fs::rename(name, path_, failed);
      written = !failed;
    }
    if (!in_place_ && !written) fs::remove(name, failed);
  }
  if (!written) throw Error(option_ + " " + path_, "it cannot be written", "give a path with room");
}

void check_not_the_same(const std::string& option, const std::string& written,
                        const std::string& read) {
  std::error_code none;
  if (fs::equivalent(written, read, none))
    throw Error(option + " " + written, "it is the file that is read", "give another path");
}

}  // namespace redblue::cli
