// SPDX-License-Identifier: BSD-3-Clause
#include "trace/recorder.hpp"

#include <mpi.h>

#include <atomic>
#include <mutex>
#include <nlohmann/json.hpp>

#include "trace/message_counts.hpp"
#include "trace/totals.hpp"

namespace redblue::trace {

namespace {

struct Recorder {
  std::mutex mutex;
  TotalsByName calls, regions;
  double start = 0;
  double mpi_seconds = 0;
};

Recorder& recorder() {
  static Recorder instance;
  return instance;
}

std::atomic<bool> recording = false;
thread_local std::int64_t bytes_of_call = 0;
thread_local int region_depth = 0;
thread_local const char* region = nullptr;

}  // namespace

bool is_recording() {
  return recording;
}

void start_recording() {
  recorder().start = PMPI_Wtime();
  recording = true;
}

void record_call(const char* name, double seconds) {
  const std::lock_guard lock(recorder().mutex);
  Totals& call = recorder().calls[name];
  ++call.count;
  call.seconds += seconds;
  call.bytes += bytes_of_call;
  recorder().mpi_seconds += seconds;
  if (region != nullptr) {
    Totals& around = recorder().regions[region];
    around.mpi_seconds += seconds;
    around.bytes += bytes_of_call;
  }
  bytes_of_call = 0;
}

void record_bytes(std::int64_t bytes) {
  bytes_of_call += bytes;
}

Region::Region(const char* name) : name_(name) {
  if (++region_depth != 1 || !is_recording()) return;
  region = name;
  start_ = PMPI_Wtime();
}

Region::~Region() {
  if (--region_depth != 0 || region == nullptr) return;
  region = nullptr;
  const std::lock_guard lock(recorder().mutex);
  Totals& totals = recorder().regions[name_];
  ++totals.count;
  totals.seconds += PMPI_Wtime() - start_;
}

std::string own_record(int rank) {
  const OwnCounts counts = own_counts();
  Recorder& r = recorder();
  const std::lock_guard lock(r.mutex);
  const nlohmann::ordered_json record = {{"rank", rank},
                                         {"seconds", PMPI_Wtime() - r.start},
                                         {"mpi_seconds", r.mpi_seconds},
                                         {"sent", counts.sent},
                                         {"collectives", counts.received},
                                         {"calls", json_of(r.calls, false)},
                                         {"regions", json_of(r.regions, true)},
                                         {"uncounted", counts.uncounted}};
  return record.dump();
}

}  // namespace redblue::trace
