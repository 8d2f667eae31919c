// SPDX-License-Identifier: BSD-3-Clause
// The one exception type of redblue.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

namespace redblue {

// Bad input, said in one line: what was asked, what was found and what would work.
// The command-line tool prints what() and exits 2.
class Error : public std::runtime_error {
 public:
  // All three are phrases without a full stop; `remedy` may be empty where none is known. `least`
  // is the smallest amount that would have worked, in the unit of what was asked for (words of
  // memory, rows of a block), where the remedy names one.
  Error(const std::string& asked, const std::string& found, const std::string& remedy = {},
        std::optional<std::int64_t> least = {})
      : std::runtime_error(asked + ": " + found + (remedy.empty() ? "" : "; " + remedy)),
        fields_(std::make_shared<const Fields>(Fields{asked, found, remedy, least})) {}

  const std::string& asked() const noexcept { return fields_->asked; }
  const std::string& found() const noexcept { return fields_->found; }
  const std::string& remedy() const noexcept { return fields_->remedy; }
  std::optional<std::int64_t> least() const noexcept { return fields_->least; }

 private:
  struct Fields {
    std::string asked, found, remedy;
    std::optional<std::int64_t> least;
  };
  std::shared_ptr<const Fields> fields_;  // shared, as copying an exception must not throw
};

}  // namespace redblue
