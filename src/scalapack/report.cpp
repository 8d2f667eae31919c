#include "scalapack/report.hpp"

#include <cstdio>
#include <cstdlib>

namespace redblue::scalapack {

namespace {

struct Report {
  long served = 0;
  long passed_on = 0;
  Words redistributed;
  Words multiplied;
  bool speaks = false;

  ~Report() {
    if (!speaks || std::getenv("REDBLUE_REPORT") == nullptr) return;
    std::fprintf(stderr,
                 "redblue: pdgemm served %ld calls, passed on %ld; words received on this process: "
                 "%lld in redistribution, %lld in multiplication\n",
                 served, passed_on, static_cast<long long>(redistributed.value),
                 static_cast<long long>(multiplied.value));
  }
};

Report& report() {
  static Report instance;
  return instance;
}

}  // namespace

void record_served(const Traffic& redistribution, const Traffic& multiplication, bool speaks) {
  Report& r = report();
  ++r.served;
  r.redistributed += redistribution.words_received;
  r.multiplied += multiplication.words_received;
  r.speaks = r.speaks || speaks;
}

void record_passed_on() {
  ++report().passed_on;
}

long served_calls() {
  return report().served;
}
long passed_on_calls() {
  return report().passed_on;
}

}  // namespace redblue::scalapack
