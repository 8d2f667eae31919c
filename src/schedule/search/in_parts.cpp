// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/search/in_parts.hpp"

#include <algorithm>
#include <deque>
#include <memory>

namespace redblue::schedule {

namespace {

// While it lives, judges take costs from there.
class Listening {
 public:
  Listening(const std::vector<const Judge*>& judges, Judge::Ahead* answers) : judges_(judges) {
    for (const Judge* judge : judges_) judge->listen(answers);
  }
  ~Listening() {
    for (const Judge* judge : judges_) judge->listen(nullptr);
  }
  Listening(const Listening&) = delete;
  Listening& operator=(const Listening&) = delete;

 private:
  const std::vector<const Judge*>& judges_;
};

}  // namespace

void in_parts(const std::vector<const Judge*>& judges, std::size_t count,
              const std::function<bool(std::size_t n, bool ahead)>& part) {
  const std::size_t processors = process::processors();
  const std::size_t together = processors > 1 && count > 1 ? processors : 0;
  std::deque<std::unique_ptr<Judge::Ahead>> running;  // part n, and those after it
  for (std::size_t n = 0; n < count; ++n) {
    for (std::size_t next = n + running.size(); next < std::min(count, n + together); ++next) {
      running.push_back(std::make_unique<Judge::Ahead>([&](const Judge::Ahead::Send& send) {
        for (const Judge* judge : judges) judge->tell(send);
        part(next, true);
      }));
    }
    const Listening listening(judges, running.empty() ? nullptr : running.front().get());
    if (!part(n, false)) return;
    if (!running.empty()) running.pop_front();
  }
}

std::vector<Tuning> tunings(const Judge& judge, const std::vector<Plan>& plans) {
  std::vector<Tuning> result;
  for (const Plan& plan : plans) judge.prepare(plan);
  in_parts({&judge}, plans.size(), [&](std::size_t n, bool) {
    result.emplace_back(judge, plans[n]);
    return true;
  });
  return result;
}

std::vector<Tuning> untiled(const Judge& judge, const std::vector<Nest>& nests) {
  std::vector<Plan> plans;
  for (const Nest& nest : nests) plans.push_back({nest, std::vector<Tiles>(nest.bands.size())});
  return tunings(judge, plans);
}

}  // namespace redblue::schedule
