// planner/report/html/text.h: numbers and names as they stand in the page.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace dfsim::html {

/// Text for element content and quoted attributes: & < > " ' become entities; bytes that are no UTF-8 and
/// control characters become U+FFFD.
std::string escaped(std::string_view text);

/// JSON for a <script type="application/json">: "<", ">" and "&" as \u escapes, so that no string can end the
/// element.
std::string script_safe(std::string json);

/// "1,234,567"
std::string grouped(std::uint64_t value);
/// "12.3 ms" of so many cycles.
std::string time_text(double cycles, std::uint64_t clock_period_ps);
/// "1.2 MiB"
std::string bytes_text(double bytes);
/// "1.2 mJ"
std::string energy_text(double picojoules);
/// "12 %", "0.4 %"; of a whole of 0: "-".
std::string percent_text(double part, double whole);
/// Three digits that count, with k, M, G: axis labels.
std::string short_number(double value);

}  // namespace dfsim::html
