// SPDX-License-Identifier: BSD-3-Clause
#include "page/phases.hpp"

#include <fmt/core.h>

#include <array>

#include "page/numbers.hpp"
#include "page/page.hpp"

namespace redblue::page {

std::string phases_html(const std::string& caption,
                        const std::vector<std::pair<std::string, double>>& phases) {
  constexpr std::array hues = {"0", "1", "2", "3", "5"};
  double all = 0;
  for (const auto& [name, seconds] : phases) all += seconds;
  Table table;
  table.caption = caption;
  table.head = {"phase", "seconds", "share"};
  table.numbers = {1};
  for (std::size_t p = 0; p < phases.size(); ++p) {
    const double share = all > 0 ? 100 * phases[p].second / all : 0;
    table.rows.push_back(
        {html_text(phases[p].first), short_seconds(phases[p].second),
         fmt::format("<span class=\"share\" aria-hidden=\"true\"><span style=\"width:{:.1f}%;"
                     "background:var(--hue{})\"></span></span>{:.1f}&#160;%",
                     share, hues[p % hues.size()], share)});
  }
  return table.html() +
         "<p>Exchange, reduce and redistribute are packing, posting and unpacking; wait is where "
         "nothing is left to do until messages come or go.</p>\n";
}

}  // namespace redblue::page
