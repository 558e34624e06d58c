// planner/report/html/document.h: the head of a page that loads nothing.
#pragma once

#include <string>

namespace dfsim::html {

/// From <!DOCTYPE> to </head>. The one style sheet and the script with `script_nonce` (empty: none) are named
/// in the security policy; nothing else may run or be loaded.
std::string document_head(const std::string& title, const std::string& version,
                          const std::string& script_nonce);

}  // namespace dfsim::html
