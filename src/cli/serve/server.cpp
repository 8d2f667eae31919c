// SPDX-License-Identifier: BSD-3-Clause
#include "cli/serve/server.hpp"

#include <fcntl.h>
#include <httplib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "cli/serve/analyse.hpp"
#include "cli/serve/child.hpp"
#include "cli/serve/serve_page.hpp"
#include "page/page.hpp"

namespace redblue::cli {

namespace {

// An answer comes within 10 s: so long it waits, and so long it is worked on.
constexpr auto longest_wait = std::chrono::milliseconds(1500);
constexpr double longest_work = 8;  // seconds
constexpr int most_connections = 16, most_waiting = 8;

// Where analyses run.
class Places {
 public:
  // Waits for one; false where others wait already, or too long.
  bool take() {
    std::unique_lock lock(mutex_);
    if (free_ == 0 && waiting_ >= most_waiting) return false;
    ++waiting_;
    const bool found = freed_.wait_for(lock, longest_wait, [this] { return free_ > 0; });
    --waiting_;
    if (found) --free_;
    return found;
  }
  void give_back() {
    const std::scoped_lock lock(mutex_);
    ++free_;
    freed_.notify_one();
  }

 private:
  std::mutex mutex_;
  std::condition_variable freed_;
  int free_ = static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1U, 4U));
  int waiting_ = 0;
};

class Site {
 public:
  Site();
  int listen_on(int port);
  void run() { http_.listen_after_bind(); }
  void stop() {
    stopping_ = true;
    http_.stop();
  }

 private:
  bool is_for_here(const httplib::Request& request) const;
  bool is_from_here(const httplib::Request& request) const;
  void analyse(const httplib::Request& request, httplib::Response& response);
  bool answer(const std::string& request, httplib::DataSink& sink) const;

  httplib::Server http_;
  Places places_;
  int port_ = 0;
  std::atomic<bool> stopping_ = false;
};

void refuse(httplib::Response& response, int status, const std::string& why) {
  response.status = status;
  response.set_content(error_line(why), "application/json");
}

// The socket of a server that has ended may be used at once, that of one that runs may not.
void reuse_address(socket_t socket) {
  const int yes = 1;
  setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
}

// Where a signal is noted; -1 before there is anything to end.
int signalled = -1;

void note_signal(int) {
  const char any = 0;
  if (write(signalled, &any, 1) < 0) return;  // it has been noted
}

Site::Site() {
  using Handled = httplib::Server::HandlerResponse;
  http_.new_task_queue = [] { return new httplib::ThreadPool(most_connections); };
  http_.set_payload_max_length(most_request);
  http_.set_read_timeout(5).set_write_timeout(5).set_keep_alive_timeout(1);
  // A refused request is not read to its end: what is left of it is no request.
  http_.set_keep_alive_max_count(1);
  http_.set_socket_options(reuse_address);
  http_.set_default_headers(
      {{"Content-Security-Policy", serve_page().policy() + "; frame-ancestors 'none'"},
       {"X-Content-Type-Options", "nosniff"},
       {"Referrer-Policy", "no-referrer"},
       {"Cross-Origin-Resource-Policy", "same-origin"},
       {"Cross-Origin-Opener-Policy", "same-origin"},
       {"Cache-Control", "no-store"}});
  http_.set_pre_routing_handler([this](const auto& request, auto& response) {
    if (is_for_here(request)) return Handled::Unhandled;
    refuse(response, 403,
           "redblue serve: a request for another host; ask http://127.0.0.1:" +
               std::to_string(port_) + "/");
    return Handled::Handled;
  });
  http_.set_error_handler([](const httplib::Request&, httplib::Response& response) {
    if (!response.body.empty()) return;
    refuse(response, response.status,
           response.status == 413
               ? "redblue serve: a request of more than " + std::to_string(most_request >> 10U) +
                     " kB; paste one kernel, or run redblue report on its file"
           : response.status == 404
               ? "redblue serve: there is nothing at this address; ask / or /analyse"
               : "redblue serve: this is no request that it can read; see redblue serve --help");
  });
  http_.Get("/", [](const httplib::Request&, httplib::Response& response) {
    response.set_content(serve_page().html(), "text/html; charset=utf-8");
  });
  http_.Get("/serve.js", [](const httplib::Request&, httplib::Response& response) {
    response.set_content(serve_script(), "text/javascript; charset=utf-8");
  });
  http_.Post("/analyse",
             [this](const auto& request, auto& response) { analyse(request, response); });
}

int Site::listen_on(int port) {
  const std::string here = "127.0.0.1";
  port_ = port;
  if (port == 0) port_ = http_.bind_to_any_port(here);
  if (port_ <= 0 || (port != 0 && !http_.bind_to_port(here, port)))
    throw Error("--port " + std::to_string(port), "nobody can listen there",
                "give a port that is free, or 0 for any");
  return port_;
}

bool Site::is_for_here(const httplib::Request& request) const {
  const std::string host = request.get_header_value("Host");
  const std::string port = ":" + std::to_string(port_);
  return host == "127.0.0.1" + port || host == "localhost" + port;
}

// Browsers say which page sends a request; other programs need not.
bool Site::is_from_here(const httplib::Request& request) const {
  const std::string site = request.get_header_value("Sec-Fetch-Site");
  if (!site.empty() && site != "same-origin") return false;
  return !request.has_header("Origin") ||
         request.get_header_value("Origin") == "http://" + request.get_header_value("Host");
}

void Site::analyse(const httplib::Request& request, httplib::Response& response) {
  if (!is_from_here(request))
    return refuse(response, 403, "redblue serve: a request from another page; use its own page");
  if (!request.get_header_value("Content-Type").starts_with("application/json"))
    return refuse(response, 415, "redblue serve: no JSON; send Content-Type: application/json");
  if (const std::string wrong = wrong_with(request.body); !wrong.empty())
    return refuse(response, 400, wrong);
  if (!places_.take())
    return refuse(response, 503, "redblue serve: other analyses run; try again in some seconds");
  response.set_chunked_content_provider(
      "application/x-ndjson",
      [this, body = request.body](std::size_t, httplib::DataSink& sink) {
        const bool wanted = answer(body, sink);
        sink.done();
        return wanted;
      },
      [this](bool) { places_.give_back(); });
}

bool Site::answer(const std::string& request, httplib::DataSink& sink) const {
  bool any = false;
  const auto send = [&sink](const std::string& line) {
    return sink.write(line.data(), line.size());
  };
  const std::string ended = analyse_apart(
      request, longest_work,
      [&](const std::string& line) {
        any = any || line.starts_with("{\"error\"") ||
              line.find("\"part\":\"bound\"") != std::string::npos;
        return send(line + "\n");
      },
      [&] { return !stopping_ && sink.is_writable(); });
  if (ended.empty()) return true;
  return send(error_line(std::string("redblue serve: the analysis has no ") +
                         (any ? "more parts" : "result") + ": " + ended +
                         "; give a smaller program or sizes, or run redblue report"));
}

}  // namespace

void serve(int port, const std::function<void(int)>& ready) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0)
    throw Error("redblue serve", "the system has no room for it", "end other programs");
  signalled = ends[1];
  // Libraries have threads of their own, which block nothing: a handler, whichever thread it is.
  struct sigaction action {};
  action.sa_handler = note_signal;
  for (const int signal : {SIGINT, SIGTERM}) sigaction(signal, &action, nullptr);
  Site site;
  ready(site.listen_on(port));
  std::thread waits([&] {
    char any = 0;
    while (read(ends[0], &any, 1) < 0 && errno == EINTR) {
    }
    site.stop();
  });
  site.run();
  note_signal(0);  // where it ended by itself
  waits.join();
}

}  // namespace redblue::cli
