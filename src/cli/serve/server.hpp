// SPDX-License-Identifier: BSD-3-Clause
// The page on this machine.
#pragma once

#include <functional>

namespace redblue::cli {

// Serves http://127.0.0.1:PORT/ (0: any free port) until SIGINT or SIGTERM, which it waits for.
// `ready` is called with the port once it listens. Throws Error where the port is taken.
//
// GET / is the page, GET /serve.js its script, POST /analyse takes what `wrong_with` describes and
// answers with the lines of `analyse_here`, each as soon as it is known, the last {"part": "done"}
// or {"error": ..}. Every other answer is one line, too. Only requests for this address are
// answered, not those for a name somebody else points here, nor those that other pages send.
// At most as many analyses run as there are processors; few wait, and not long.
void serve(int port, const std::function<void(int)>& ready);

}  // namespace redblue::cli
