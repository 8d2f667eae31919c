// SPDX-License-Identifier: BSD-3-Clause
// A folder of this process alone: ctest runs tests of one program at the same time, and two that
// wrote one file would read each other's half.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

namespace redblue::test {

// With a slash at its end; removed with all that is in it when the process ends.
inline const std::string& temporary_folder() {
  struct Folder {
    std::string path = testing::TempDir() + "redblue-" + std::to_string(getpid()) + "/";
    pid_t owner = getpid();
    Folder() { std::filesystem::create_directories(path); }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    ~Folder() {
      std::error_code ignored;
      if (getpid() == owner) std::filesystem::remove_all(path, ignored);
    }
  };
  static const Folder folder;
  return folder.path;
}

}  // namespace redblue::test
