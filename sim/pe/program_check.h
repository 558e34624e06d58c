// sim/pe/program_check.h: is every index of a program in range, and does everything that moves have two ends?
#pragma once

#include <string>
#include <vector>

#include "sim/api/hardware.h"
#include "sim/api/program.h"
#include "sim/pe/loaded_program.h"

namespace dfsim {

/// Reasons why a program cannot run, the first `kMaxReasons` of them.
class Reasons {
 public:
  void add(std::string reason) {
    if (list_.size() < kMaxReasons) list_.push_back(std::move(reason));
  }
  bool empty() const { return list_.empty(); }
  bool full() const { return list_.size() >= kMaxReasons; }
  std::string text() const;  ///< joined by "; "

 private:
  std::vector<std::string> list_;
};

/// Checks all indices and sizes of `program` and fills `loaded.source_op` and `loaded.destination_op`.
/// Everything after this check may use the program's indices without looking.
void check_program(const Program& program, const HardwareSpec& hardware, const NextHop& next_hop,
                   LoadedProgram& loaded, Reasons& reasons);

/// "pe_3_4: send #12": how reasons and deadlock reports name a micro-op.
std::string micro_op_name(const HardwareSpec& hardware, const PeProgram& pe, std::uint32_t op);

}  // namespace dfsim
