// planner/verify/work_order.h: the micro-ops of a program in a random order that its dependences allow.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/api/program.h"
#include "sim/base/rng.h"

namespace dfsim {

/// Only dependences count: the lists of the units are timing. Loads and receives run in two steps, between
/// which their region holds nothing. They begin when their dependences are met; a load ends any time after. A
/// send may run when its own dependences are met and its receive has begun (has granted the region), and the
/// receive ends, with the arrival of the data, any time after that.
///
/// Every other step is held back until nothing else can run, and then the latest of these goes first: whoever
/// should have waited for it runs ahead. Of the others the next is drawn uniformly. An order shows about half
/// of the missing dependences, since each order of two steps is as likely.
class WorkOrder {
 public:
  /// One instance of a micro-op. `period` is 0 for the prologue.
  struct Step {
    std::uint32_t pe = 0;  ///< index in Program::pes
    std::uint32_t op = 0;
    std::uint32_t period = 0;
    bool begins = false;  ///< the first of two steps
  };

  /// Indices of `program` must be valid.
  WorkOrder(const Program& program, std::uint32_t periods, std::uint64_t seed);

  /// None if nothing can run.
  std::optional<Step> next();
  /// Must follow every step taken.
  void done(const Step& step);

  /// Instances of micro-ops.
  std::uint64_t instances() const { return instances_; }
  bool complete() const { return done_ == instances_; }
  /// One that waits, if nothing can run and not all is done.
  std::optional<Step> blocked() const;

 private:
  struct Follower {
    std::uint32_t op, distance;
  };
  struct Pe {
    const PeProgram* program = nullptr;
    std::uint32_t prologue = 0, per_period = 0;
    std::uint64_t first_node = 0;
    std::vector<std::uint32_t> follower_begin;  // by micro-op, in `followers`
    std::vector<Follower> followers;
  };
  struct End {
    std::uint32_t pe = UINT32_MAX, op = 0;
    bool known() const { return pe != UINT32_MAX; }
  };

  void build(std::uint32_t index, const PeProgram& program);
  std::uint64_t node(const Step& step) const;
  void release(const Step& step);
  void unblocked(const Step& step);
  void begun(const Step& step);
  void push(const Step& step);
  const MicroOp& op(const Step& step) const { return pes_[step.pe].program->ops[step.op]; }

  const Program* program_;
  std::uint32_t periods_;
  Rng rng_;
  std::vector<Pe> pes_;
  std::vector<End> senders_;                 // by transfer: a send, or a load for several PEs
  std::vector<std::vector<End>> receivers_;  // by transfer
  std::vector<std::uint32_t> waiting_for_;   // by node
  std::vector<Step> ready_, held_back_;
  std::uint64_t instances_ = 0, done_ = 0;
};

}  // namespace dfsim
