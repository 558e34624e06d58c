// The controller of CMU-SAFARI/ramulator2: in each clock the first of these that is ready: a request on the
// active list (its row was opened for it), a pending refresh (which blocks what follows), the first ready
// command of any kind, by age, for the requests of the direction being served. A command that would close a
// row under an active request is not issued, nor anything in its place.
#include <algorithm>

#include "sim/mem/reference/channel.h"

namespace dfsim {
namespace {

class ActiveListChannel : public ReferenceChannel {
 public:
  ActiveListChannel(const DramDeviceSpec& device, const ReferenceSettings& settings)
      : settings_(settings),
        timing_(resolve_timing(device)),
        ranks_(device.ranks),
        banks_per_rank_(device.bank_groups * device.banks_per_group),
        state_(timing_, delays(timing_), device.ranks, device.bank_groups, device.banks_per_group,
               {timing_.COMMAND_BUSES == 2, true}),
        row_changes_(state_.bank_count(), 0),
        refresh_due_(device.ranks, 0),
        next_refresh_(timing_.REFI) {}

  bool accepts(bool write) const override {
    return write ? writes_.items.size() < settings_.write_queue : reads_.items.size() < settings_.read_queue;
  }

  void accept(const ReferenceRequest& request, std::uint64_t clock) override {
    List& list = request.write ? writes_ : reads_;
    list.items.push_back({request, clock, ++order_, 0, kUnknown, DramCommand::activate});
    Item& item = list.items.back();
    look_up(item);
    item.not_before = begins(item.command, request.bank);
    list.quiet_until = std::min(list.quiet_until, item.not_before);
  }

  // What is accepted in clock c is scheduled from c + 1 on: that is the clock of the commands.
  std::uint64_t tick(std::uint64_t clock) override {
    const std::uint64_t now = clock + 1;
    if (now >= next_refresh_) {
      std::fill(refresh_due_.begin(), refresh_due_.end(), std::uint8_t{1});
      refreshes_ = ranks_;
      next_refresh_ += timing_.REFI;
    }
    next_ = kNever;
    bool issued = false;
    if (timing_.COMMAND_BUSES == 2) {
      issued = schedule(now, Kind::column);
      if (row_bus_free_ <= now) issued = schedule(now, Kind::row) || issued;
      next_ = std::min(next_, std::max(row_bus_free_, now + 1));
    } else if (bus_free_ <= now) {
      issued = schedule(now, Kind::any);
    } else {
      next_ = bus_free_;
    }
    return issued ? clock + 1 : std::min(next_refresh_, next_) - 1;
  }

 private:
  enum class Kind { any, row, column };
  struct Item {
    ReferenceRequest request;
    std::uint64_t accepted;
    std::uint64_t order;
    // What it needs next and a clock before which that cannot begin; good while the bank keeps its row, since
    // constraints only move later.
    std::uint64_t not_before = 0;
    std::uint32_t row_changes = kUnknown;
    DramCommand command = DramCommand::activate;
  };
  static constexpr std::uint32_t kUnknown = 0xFFFFFFFF;
  /// In order of age.
  struct List {
    std::vector<Item> items;
    std::uint64_t quiet_until = 0;  ///< nothing in it can begin before, as long as no row changes
  };
  struct Pick {
    List* list = nullptr;
    std::size_t position = 0;
    DramCommand command = DramCommand::refresh;
  };

  static DramDelayTable delays(const DramTiming& timing) {
    DramDelayTable table = delay_table(timing);
    // Pseudo channels, modelled as ranks, have data buses of their own.
    if (timing.COMMAND_BUSES == 2) table[static_cast<std::size_t>(DramScope::other_rank)] = {};
    return table;
  }

  static bool column(DramCommand c) { return c == DramCommand::read || c == DramCommand::write; }
  static bool fits(DramCommand c, Kind kind) {
    return kind == Kind::any || column(c) == (kind == Kind::column);
  }

  DramCommand needed(const ReferenceRequest& r) const {
    const std::uint32_t open = state_.open_row(r.bank);
    if (open == DramState::kClosed) return DramCommand::activate;
    if (open != r.row) return DramCommand::precharge;
    return r.write ? DramCommand::write : DramCommand::read;
  }

  // Clock in which the command may begin; an activate of two clocks counts from its second.
  std::uint64_t begins(DramCommand command, std::uint32_t bank) const {
    const std::uint64_t at = state_.earliest(command, bank);
    const std::uint64_t lead = command == DramCommand::activate ? timing_.ACT_CLOCKS - 1 : 0;
    return at > lead ? at - lead : 0;
  }

  bool schedule(std::uint64_t now, Kind kind) {
    if (Pick pick = best(active_, now, kind); pick.list) return issue(pick, now);
    if (refreshes_ != 0) return kind != Kind::column && refresh(now);
    choose_direction();
    Pick pick = best(writing_ ? writes_ : reads_, now, kind);
    return pick.list && issue(pick, now);
  }

  void look_up(Item& item) const {
    item.row_changes = row_changes_[item.request.bank];
    item.command = needed(item.request);
    item.not_before = 0;
  }

  // The oldest that fits.
  Pick best(List& list, std::uint64_t now, Kind kind) {
    if (list.quiet_until > now) {
      next_ = std::min(next_, list.quiet_until);
      return {};
    }
    std::uint64_t waiting = kNever;  // until something that is not ready may be
    bool any_ready = false;
    for (std::size_t i = 0; i < list.items.size(); ++i) {
      Item& item = list.items[i];
      if (item.row_changes != row_changes_[item.request.bank]) look_up(item);
      if (item.not_before <= now) item.not_before = begins(item.command, item.request.bank);
      if (item.not_before > now) {
        waiting = std::min(waiting, item.not_before);
        continue;
      }
      any_ready = true;
      const DramCommand command = item.command;
      if (!fits(command, kind)) continue;
      if (settings_.keep_older_hits && command == DramCommand::precharge && older_hit(list, i)) continue;
      next_ = std::min(next_, waiting);
      return {&list, i, command};
    }
    if (!any_ready) list.quiet_until = waiting;
    next_ = std::min(next_, waiting);
    return {};
  }

  void row_changed(std::uint32_t bank) {
    ++row_changes_[bank];
    reads_.quiet_until = writes_.quiet_until = active_.quiet_until = 0;
  }

  bool older_hit(const List& list, std::size_t position) const {
    const ReferenceRequest& r = list.items[position].request;
    return std::any_of(list.items.begin(), list.items.end(), [&](const Item& other) {
      return other.order < list.items[position].order && other.request.bank == r.bank &&
             other.request.row == state_.open_row(r.bank);
    });
  }

  bool closes_active_row(std::uint32_t first_bank, std::uint32_t last_bank) const {
    return std::any_of(active_.items.begin(), active_.items.end(), [&](const Item& item) {
      return item.request.bank >= first_bank && item.request.bank <= last_bank;
    });
  }

  bool issue(const Pick& pick, std::uint64_t now) {
    const Item item = pick.list->items[pick.position];
    const ReferenceRequest& r = item.request;
    if (pick.command == DramCommand::precharge) {
      if (closes_active_row(r.bank, r.bank)) return false;
      state_.precharge(r.bank, now);
      row_changed(r.bank);
      row_bus_free_ = now + 1;
      return true;
    }
    pick.list->items.erase(pick.list->items.begin() + static_cast<std::ptrdiff_t>(pick.position));
    if (pick.command == DramCommand::activate) {
      state_.activate(r.bank, r.row, now + timing_.ACT_CLOCKS - 1);
      row_changed(r.bank);
      row_bus_free_ = now + timing_.ACT_CLOCKS;
      const auto older = [](const Item& a, const Item& b) { return a.order < b.order; };
      active_.items.insert(std::upper_bound(active_.items.begin(), active_.items.end(), item, older), item);
      return true;
    }
    // LPDDR5: a CAS command a clock ahead starts the data clock if it has stopped since the last burst.
    const bool stopped = settings_.data_clock_stops && now > data_clock_until_;
    const std::uint64_t at = stopped ? now + 1 : now;
    data_clock_until_ = at + (r.write ? timing_.CWL : timing_.CL) + timing_.BL;
    if (stopped) bus_free_ = at + 1;
    state_.column(pick.command, r.bank, at);
    completed_.push_back({r.write, item.accepted, r.write ? at : at + timing_.CL + timing_.BL});
    return true;
  }

  bool refresh(std::uint64_t now) {
    std::uint32_t rank = 0;
    while (!refresh_due_[rank]) ++rank;
    const std::uint32_t first = rank * banks_per_rank_;
    if (!state_.all_closed(rank)) {
      const std::uint64_t at = state_.earliest_precharge_all(rank);
      if (at > now) next_ = std::min(next_, at);
      if (at > now || closes_active_row(first, first + banks_per_rank_ - 1)) return false;
      state_.precharge_all(rank, now);
      for (std::uint32_t bank = first; bank < first + banks_per_rank_; ++bank) row_changed(bank);
    } else {
      const std::uint64_t at = state_.earliest_in_rank(DramCommand::refresh, rank);
      if (at > now) next_ = std::min(next_, at);
      if (at > now) return false;
      state_.refresh(rank, now);
      refresh_due_[rank] = 0;
      --refreshes_;
    }
    row_bus_free_ = now + 1;
    return true;
  }

  void choose_direction() {
    const double writes = static_cast<double>(writes_.items.size());
    if (!writing_)
      writing_ = writes > settings_.write_high * settings_.write_queue || reads_.items.empty();
    else
      writing_ = !(writes < settings_.write_low * settings_.write_queue && !reads_.items.empty());
  }

  ReferenceSettings settings_;
  DramTiming timing_;
  std::uint32_t ranks_, banks_per_rank_;
  DramState state_;
  std::vector<std::uint32_t> row_changes_;  ///< by bank
  List reads_, writes_, active_;
  bool writing_ = false;
  std::vector<std::uint8_t> refresh_due_;
  std::uint32_t refreshes_ = 0;
  std::uint64_t next_refresh_;
  std::uint64_t row_bus_free_ = 0;      ///< with two buses
  std::uint64_t bus_free_ = 0;          ///< with one
  std::uint64_t data_clock_until_ = 0;  ///< LPDDR5: its data clock (WCK) runs up to this clock
  std::uint64_t next_ = kNever;  ///< earliest clock in which something that waits for its timing is ready
  std::uint64_t order_ = 0;
};

}  // namespace

std::unique_ptr<ReferenceChannel> make_active_list_channel(const DramDeviceSpec& device,
                                                           const ReferenceSettings& settings) {
  return std::make_unique<ActiveListChannel>(device, settings);
}

}  // namespace dfsim
