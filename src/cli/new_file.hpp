// SPDX-License-Identifier: BSD-3-Clause
// A file that is written at the end of something long: whole or not at all.
#pragma once

#include <string>

namespace redblue::cli {

class NewFile {
 public:
  // Throws Error where the file cannot be written; what it holds is left alone until write().
  // `option`: what the command calls it, for messages.
  NewFile(const std::string& option, const std::string& path);

  // Writes a file beside it and puts that in its place; devices and pipes are written as they are.
  // Throws Error where there is no room.
  void write(const std::string& text) const;

 private:
  std::string option_, path_;
  bool in_place_ = false;  // no file that another could replace
};

// Throws Error where both paths are one file, which would be lost.
void check_not_the_same(const std::string& option, const std::string& written,
                        const std::string& read);

}  // namespace redblue::cli
