// SPDX-License-Identifier: BSD-3-Clause
#include "counting/walk/calls.hpp"

#include <set>

namespace redblue::counting {

namespace {

void collect_callees(const Body& body, std::set<std::string>& names) {
  for (const Node& node : body) {
    if (const Call* call = std::get_if<Call>(&node.is)) names.insert(call->function);
    if (const Loop* loop = std::get_if<Loop>(&node.is)) collect_callees(loop->body, names);
    if (const Branch* branch = std::get_if<Branch>(&node.is)) {
      for (const Path& path : branch->paths) collect_callees(path.body, names);
    }
  }
}

}  // namespace

bool calls_itself(const Program& program, const Function& function) {
  std::set<std::string> reached;
  std::vector<const Function*> open{&function};
  while (!open.empty()) {
    std::set<std::string> names;
    collect_callees(open.back()->body, names);
    open.pop_back();
    for (const std::string& name : names) {
      const auto callee = program.functions.find(name);
      if (callee == program.functions.end() || !reached.insert(name).second) continue;
      open.push_back(&callee->second);
    }
  }
  return reached.count(function.name) != 0;
}

}  // namespace redblue::counting
