// SPDX-License-Identifier: BSD-3-Clause
// A folder for files that live as long as a process needs them.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include "redblue/error.hpp"

namespace redblue::process {

// Of this process alone, below TMPDIR; gone with this object.
class Folder {
 public:
  Folder() {
    const std::string parent = std::filesystem::temp_directory_path().string();
    std::string name = parent + "/redblue-XXXXXX";
    if (mkdtemp(name.data()) == nullptr)
      throw Error(parent, "no folder can be made there", "let TMPDIR name a folder with room");
    path_ = name;
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace redblue::process
