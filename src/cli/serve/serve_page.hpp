// SPDX-License-Identifier: BSD-3-Clause
// What redblue serve shows: a form, and the sections of a program's page, which its script fills.
#pragma once

#include "page/page.hpp"

namespace redblue::cli {

page::Page serve_page();
const char* serve_script();

}  // namespace redblue::cli
