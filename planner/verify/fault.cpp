#include "planner/verify/fault.h"

#include <fmt/format.h>

namespace dfsim {

std::string Fault::to_string() const {
  std::string text = what;
  if (region) text += fmt::format("\n  micro-tensor {} of '{}'", region->to_string(), tensor);
  if (at) {
    std::string index;
    for (std::uint8_t d = 0; d < region->rank; ++d) index += fmt::format("{}{}", d == 0 ? "" : ",", (*at)[d]);
    text += fmt::format(", element [{}]", index);
  }
  if (expected && got) text += fmt::format(": expected {:.9g}, got {:.9g}", *expected, *got);
  if (!pe.empty())
    text += fmt::format("\n  stage '{}', operator '{}', {}, {}, period {}", stage, op, pe, micro_op, period);
  return text;
}

}  // namespace dfsim
