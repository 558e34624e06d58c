#include "sim/api/server.h"

#include <algorithm>

namespace dfsim {

std::string to_string(ProcessorKind kind) {
  switch (kind) {
    case ProcessorKind::cpu:
      return "cpu";
    case ProcessorKind::gpu:
      return "gpu";
    case ProcessorKind::card:
      return "card";
  }
  return {};
}

double HostLinkSpec::bytes_per_ns() const {
  constexpr double kGigatransfers[] = {2.5, 5, 8, 16, 32};
  const double code = generation <= 2 ? 8.0 / 10 : 128.0 / 130;
  return kGigatransfers[generation - 1] * code / 8 * lanes * payload_share;
}

bool ProcessorSpec::can_run(const std::string& operator_kind) const {
  return supports.empty() || std::find(supports.begin(), supports.end(), operator_kind) != supports.end();
}

}  // namespace dfsim
