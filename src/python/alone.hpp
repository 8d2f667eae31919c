// SPDX-License-Identifier: BSD-3-Clause
// Calls of redblue::analysis from Python's threads.
#pragma once

#include <pybind11/pybind11.h>

#include <chrono>
#include <mutex>

#include "redblue/progress.hpp"

namespace redblue::python {

// One thread at a time may be in the analysis library.
std::mutex& analysis_lock();

// Calls f without the interpreter's lock and with the analysis library's. Formulas must not leave
// f: their copies share what other threads may change.
template <class F>
auto alone(F f) {
  const pybind11::gil_scoped_release others_run;
  const std::lock_guard<std::mutex> only_this(analysis_lock());
  return f();
}

// For work under way in alone(): lets Ctrl-C end it, ten times a second.
inline ProgressCallback interruptible() {
  using Clock = std::chrono::steady_clock;
  return [next = Clock::now()](const WorkDone&) mutable {
    const auto now = Clock::now();
    if (now < next) return;
    next = now + std::chrono::milliseconds(100);
    const pybind11::gil_scoped_acquire python;
    if (PyErr_CheckSignals() != 0) throw pybind11::error_already_set();
  };
}

}  // namespace redblue::python
