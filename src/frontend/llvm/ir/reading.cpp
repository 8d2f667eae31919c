// SPDX-License-Identifier: BSD-3-Clause
#include "frontend/llvm/ir/reading.hpp"

#include <algorithm>
#include <cctype>

namespace redblue::frontend::llvm_ir {

namespace {

// A name that formulas can be read back with.
std::string identifier(const std::string& name) {
  std::string plain;
  for (const char c : name) {
    plain += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  }
  if (plain.empty() || std::isdigit(static_cast<unsigned char>(plain.front())) != 0) {
    plain.insert(0, "v");
  }
  return plain;
}

}  // namespace

counting::Symbol Reading::fresh(const std::string& name, const llvm::Loop* scope) {
  const std::string unique = (name.empty() ? "v" : name) + "#" + std::to_string(++count_);
  scopes_[unique] = scope;
  return symbolic::symbol(unique);
}

std::optional<counting::Symbol> Reading::thread_number(const std::string& name) {
  if (name.empty()) return std::nullopt;
  if (name == threads.size) return *(program.processes = symbolic::symbol("p"));
  if (name == threads.rank) return *(program.rank = symbolic::symbol("rank"));
  return std::nullopt;
}

counting::Symbol Reading::parameter(const std::string& name, const std::string& value) {
  if (const auto number = thread_number(identifier(name))) return *number;
  const auto [known, is_new] = parameters_.try_emplace(value, identifier(name));
  if (is_new) {
    const int times = ++times_[known->second];
    if (times > 1) known->second += "_" + std::to_string(times);
  }
  return symbolic::symbol(known->second);
}

counting::Symbol Reading::datum(const std::string& name, const counting::Location& at,
                                const std::string& text, const llvm::Loop* scope) {
  if (const auto number = thread_number(name)) return *number;
  counting::Datum datum;
  datum.varies = scope != nullptr;
  datum.symbol = datum.varies ? fresh(name, scope)
                              : parameter(name, "datum " + std::to_string(program.data.size()));
  datum.at = at;
  datum.text = text;
  program.data.push_back(datum);
  data_.insert(datum.symbol.get_name());
  return datum.symbol;
}

const llvm::Loop* Reading::scope_of(const counting::Symbol& symbol) const {
  const auto found = scopes_.find(symbol.get_name());
  return found == scopes_.end() ? nullptr : found->second;
}

void Reading::assume(const std::string& what) {
  std::vector<std::string>& all = program.assumptions;
  if (std::find(all.begin(), all.end(), what) == all.end()) all.push_back(what);
}

void Reading::input(const Input& input) {
  if (std::find(inputs_.begin(), inputs_.end(), input) == inputs_.end()) inputs_.push_back(input);
}

counting::Program Reading::finished() {
  std::string names;
  for (const std::string& function : outside_) names += (names.empty() ? "" : ", ") + function;
  if (!names.empty()) {
    assume("functions from outside are not counted and change only what they are given: " + names);
  }
  return std::move(program);
}

}  // namespace redblue::frontend::llvm_ir
