#include "sim/pe/stall_account.h"

#include <algorithm>

#include "sim/pe/rated_work.h"

namespace dfsim {

void StallAccount::reset(PeId pe, Observer* observer) {
  *this = StallAccount{};
  pe_ = pe;
  observer_ = observer;
}

void StallAccount::close(std::uint64_t now, const PeActivity& activity, std::uint64_t blocked) {
  if (now == since_) return;
  const std::uint64_t start = since_, cycles = now - since_;
  since_ = now;
  if (activity.computing) {
    fraction_ += cycles * activity.speed;
    const std::uint64_t busy = std::min(cycles, fraction_ / kFullRate);
    fraction_ -= busy * kFullRate;
    busy_ += busy;
    book(StallCause::bank_conflict, start + busy, now);
  } else if (activity.finished) {
    book(StallCause::no_work, start, now);
  } else if (activity.transfer_outstanding) {
    book(StallCause::dma_dram, start, now);
  } else {
    const std::uint64_t middle = start + std::min(blocked, cycles);
    book(StallCause::noc_no_credit, start, middle);
    book(activity.waits_for_grant ? StallCause::no_grant
         : activity.begun         ? StallCause::dependence
                                  : StallCause::no_work,
         middle, now);
  }
}

void StallAccount::book(StallCause cause, std::uint64_t start, std::uint64_t end) {
  if (start == end) return;
  stalls_[static_cast<std::size_t>(cause)] += end - start;
  if (!observer_) return;
  if (cause == cause_ && start == stall_end_) {
    stall_end_ = end;
    return;
  }
  flush();
  cause_ = cause;
  stall_start_ = start;
  stall_end_ = end;
}

void StallAccount::flush() {
  if (observer_ && stall_end_ > stall_start_) observer_->stall(pe_, cause_, stall_start_, stall_end_);
  stall_start_ = stall_end_;
}

}  // namespace dfsim
