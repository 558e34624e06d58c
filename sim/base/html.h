// sim/base/html.h: text as content of HTML.
#pragma once

#include <string>
#include <string_view>

namespace dfsim {

/// UTF-8 `text` as content or quoted attribute value of HTML or SVG; control characters become U+FFFD.
std::string html_escaped(std::string_view text);

}  // namespace dfsim
