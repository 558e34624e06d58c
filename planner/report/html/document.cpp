#include "planner/report/html/document.h"

#include <fmt/format.h>

#include "planner/report/html/style.h"
#include "planner/report/html/text.h"
#include "sim/base/hash.h"

namespace dfsim::html {

std::string document_head(const std::string& title, const std::string& version,
                          const std::string& script_nonce) {
  const std::string nonce = content_hash(kStyle);
  const std::string scripts =
      script_nonce.empty() ? "" : fmt::format("script-src 'nonce-{}'; ", script_nonce);
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'nonce-{}'; {}"
      "base-uri 'none'; form-action 'none'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"generator\" content=\"dfsim {}\">\n<title>{}</title>\n<style "
      "nonce=\"{}\">{}</style>\n</head>\n",
      nonce, scripts, escaped(version), escaped(title), nonce, kStyle);
}

}  // namespace dfsim::html
