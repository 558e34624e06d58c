#include "sim/api/measurement.h"

namespace dfsim {

std::string to_string(StallCause cause) {
  switch (cause) {
    case StallCause::bank_conflict:
      return "bank_conflict";
    case StallCause::dma_dram:
      return "dma_dram";
    case StallCause::noc_no_credit:
      return "noc_no_credit";
    case StallCause::no_grant:
      return "no_grant";
    case StallCause::dependence:
      return "dependence";
    case StallCause::no_work:
      return "no_work";
  }
  return "?";
}

std::string to_string(RunStatus status) {
  switch (status) {
    case RunStatus::finished:
      return "finished";
    case RunStatus::limit_reached:
      return "limit_reached";
    case RunStatus::deadlock:
      return "deadlock";
    case RunStatus::invalid_program:
      return "invalid_program";
  }
  return "?";
}

}  // namespace dfsim
