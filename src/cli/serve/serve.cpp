// SPDX-License-Identifier: BSD-3-Clause
// redblue serve: a page on this machine where one pastes a program.
#include <fmt/core.h>

#include <memory>

#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/serve/analyse.hpp"
#ifdef REDBLUE_HAS_HTTPLIB
#include "cli/serve/server.hpp"
#endif
#include "redblue/error.hpp"

namespace redblue::cli {

namespace {

constexpr int processor_seconds = 9;

struct Options {
  std::string port = "8080";
  bool analyse = false, json = false;
};

int serve_page_on(const Options& options) {
  const std::int64_t port = whole_number("--port", options.port);
  constexpr std::int64_t last = 65535;
  if (port < 0 || port > last)
    throw Error("--port " + options.port, "no port",
                "give one of 0 to 65535; 0 is any that is free");
#ifdef REDBLUE_HAS_HTTPLIB
  serve(static_cast<int>(port), [&options](int at) {
    const std::string address = fmt::format("http://127.0.0.1:{}/", at);
    if (options.json) {
      fmt::print("{}\n", Json{{"address", address}, {"port", at}}.dump());
    } else {
      fmt::print("{}  (Ctrl-C ends it)\n", address);
    }
    std::fflush(stdout);
  });
  return 0;
#else
  throw Error("redblue serve", "it was built without an HTTP server",
              "install libcpp-httplib-dev and libssl-dev, and build redblue again");
#endif
}

}  // namespace

void add_serve(CLI::App& app, Action& action) {
  const auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("serve", "Show a page on this machine where one pastes a program");
  command->add_option("--port", options->port,
                      "Where to listen, on 127.0.0.1 alone (8080); 0: any");
  command->add_flag("--json", options->json, "Print the address as JSON");
  command->add_flag("--analyse", options->analyse,
                    "Read one request from standard input and print its answer, as the page's "
                    "server does in a process of its own: 9 s of a processor, 2 GiB, no files");
  command->footer(
      "Sources are analysed, never run; what they include comes from redblue alone, and no file of "
      "the machine is opened for them.\n\nExample:\n"
      "  redblue serve --port 8080\n"
      "  curl -s http://127.0.0.1:8080/analyse -H 'Content-Type: application/json' \\\n"
      "    -d '{\"language\": \"einsum\", \"source\": \"ij,jk->ik\", \"set\": "
      "\"Ni=40,Nj=40,Nk=40,S=256\"}'");
  command->callback([options, &action] {
    action = [options] {
      return options->analyse ? analyse_here(processor_seconds) : serve_page_on(*options);
    };
  });
}

}  // namespace redblue::cli
