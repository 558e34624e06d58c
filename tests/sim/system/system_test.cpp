#include "sim/system/system.h"

#include <gtest/gtest.h>

#include <numeric>

#include "sim/api/observer.h"
#include "tests/sim/pe/program_builder.h"

namespace dfsim {
namespace {

/// Four PEs in a line; the process has one machine.
ProgramRunner& runner() {
  static std::unique_ptr<ProgramRunner> runner = [] {
    HardwareSpec hardware = line_hardware(4);
    hardware.energy.picojoules = {{"mac_fp16", 2.0}, {"router_flit", 50.0}, {"unused", 1.0}};
    return make_program_runner(hardware);
  }();
  return *runner;
}

/// Loads, computes, passes on through all four PEs, stores; three periods with two slots everywhere.
Program pipeline(std::uint32_t periods) {
  ProgramBuilder b;
  b.program.periods = periods;
  std::uint32_t before = b.memory(0, TransferKind::load, {{PortId(0), 0, 4096, 1, 0}}, {{1, 2}}, 1);
  for (std::uint32_t pe = 0; pe < 4; ++pe) {
    const std::uint32_t m = b.matmul(pe, 64, 64, 64, {{before, 0}});
    if (pe < 3) {
      before = b.send(pe, pe + 1, 8192, {{m, 0}}, {{1, 2}}).second;
    } else {
      b.memory(pe, TransferKind::store, {{PortId(0), 1 << 20, 8192, 1, 0}}, {{m, 0}});
    }
  }
  return b.program;
}

void expect_accounted(const Measurement& m) {
  ASSERT_EQ(m.pes.size(), 4u);
  for (const PeMeasurement& pe : m.pes)
    EXPECT_EQ(std::accumulate(pe.stall_cycles.begin(), pe.stall_cycles.end(), pe.busy_cycles), m.cycles);
}

TEST(System, RunsAPipelineAndAccountsForEverything) {
  const RunOutcome outcome = runner().run(pipeline(3), {});
  ASSERT_EQ(outcome.status, RunStatus::finished) << outcome.reason;
  const Measurement& m = outcome.measurement;
  expect_accounted(m);
  EXPECT_EQ(m.macs, 3u * 4 * 64 * 64 * 64);
  EXPECT_EQ(m.dram_read_bytes, 3u * 4096);
  EXPECT_EQ(m.dram_write_bytes, 3u * 8192);
  EXPECT_EQ(m.flits_injected, m.flits_ejected);
  EXPECT_EQ(m.noc_payload_bytes, 3u * (4096 + 3 * 8192 + 8192));
  EXPECT_EQ(m.primitive_bytes, (std::vector<std::uint64_t>{m.noc_payload_bytes}));
  ASSERT_EQ(m.period_done_cycles.size(), 3u);
  EXPECT_LT(m.period_done_cycles[0], m.period_done_cycles[1]);
  EXPECT_EQ(m.period_done_cycles[2], m.cycles);
  EXPECT_EQ(m.stage_period_done_cycles.at(0), m.period_done_cycles);
  EXPECT_GT(m.busiest_unit_cycles, 0u);
  double parts = 0;
  for (const auto& [name, energy] : m.energy_pj)
    if (name != "total") parts += energy;
  EXPECT_DOUBLE_EQ(parts, m.energy_pj.at("total"));
  EXPECT_DOUBLE_EQ(m.energy_pj.at("mac_fp16"), 2.0 * static_cast<double>(m.macs));
}

/// Weights for all PEs of the line, resident and used in each period: loaded by one and multicast by the
/// memory port, or passed on from PE to PE in pieces of 2 KB.
Program shared_weights(bool multicast, std::uint32_t bytes) {
  ProgramBuilder b;
  std::vector<std::uint32_t> there(4);
  if (multicast) {
    there = b.multicast(TransferKind::load, 0, {1, 2, 3}, bytes);
    for (std::uint32_t pe = 0; pe < 4; ++pe) b.matmul(pe, 64, 64, 64, {{there[pe], 0}});
    return b.program;
  }
  for (std::uint32_t done = 0; done < bytes; done += 2048) {
    std::uint32_t before = b.memory(0, TransferKind::load, {{PortId(0), done, 2048, 1, 0}});
    for (std::uint32_t pe = 0; pe < 4; ++pe) {
      there[pe] = before;
      if (pe < 3) before = b.send(pe, pe + 1, 2048, {{before, 0}}, {}, 1).second;
    }
  }
  for (std::uint32_t pe = 0; pe < 4; ++pe) b.matmul(pe, 64, 64, 64, {{there[pe], 0}});
  return b.program;
}

TEST(System, AMulticastLoadReadsOnceAndForksFlits) {
  const std::uint32_t bytes = 16 * 1024;
  const RunOutcome outcome = runner().run(shared_weights(true, bytes), {});
  ASSERT_EQ(outcome.status, RunStatus::finished) << outcome.reason;
  const Measurement& m = outcome.measurement;
  expect_accounted(m);
  EXPECT_EQ(m.dram_read_bytes, bytes);
  EXPECT_EQ(m.noc_payload_bytes, 4u * bytes);  // per leaf
  EXPECT_EQ(m.flits_forked, 3u * bytes / 32);
  EXPECT_EQ(m.flits_injected + m.flits_forked, m.flits_ejected);
  EXPECT_EQ(m.flits_injected, bytes / 32 + 1);  // and the request; first uses count as granted
  for (const PeMeasurement& pe : m.pes) EXPECT_EQ(pe.bytes_loaded, bytes);
  EXPECT_EQ(m.primitive_bytes, (std::vector<std::uint64_t>{4 * bytes}));
  EXPECT_EQ(runner().run(shared_weights(true, bytes), {}).measurement, m);
  const Measurement chain = runner().run(shared_weights(false, bytes), {}).measurement;
  EXPECT_EQ(chain.dram_read_bytes, bytes);
  EXPECT_LT(m.cycles, chain.cycles);
  EXPECT_LT(m.flit_hops, chain.flit_hops);
  std::printf("16 KB to 4 PEs: multicast %llu cycles, %llu flit-hops; passed on %llu and %llu\n",
              static_cast<unsigned long long>(m.cycles), static_cast<unsigned long long>(m.flit_hops),
              static_cast<unsigned long long>(chain.cycles),
              static_cast<unsigned long long>(chain.flit_hops));
}

TEST(System, GivesTheSameMeasurementWhateverRanBefore) {
  const Program a = pipeline(3), b = pipeline(5);
  const Measurement first = runner().run(a, {}).measurement;
  const Measurement other = runner().run(b, {}).measurement;
  EXPECT_NE(first, other);
  EXPECT_EQ(runner().run(a, {}).measurement, first);
}

TEST(System, StopsAtALimitAndRunsCleanlyAfterwards) {
  const Program program = pipeline(3);
  const Measurement whole = runner().run(program, {}).measurement;
  for (std::uint64_t limit = 1; limit < whole.cycles; limit += 97) {
    RunLimit run_limit;
    run_limit.cycles = limit;
    const RunOutcome cut = runner().run(program, run_limit);
    ASSERT_EQ(cut.status, RunStatus::limit_reached);
    EXPECT_EQ(cut.measurement.cycles, limit);
    expect_accounted(cut.measurement);
    ASSERT_EQ(runner().run(program, {}).measurement, whole) << "after a stop at cycle " << limit;
  }
  RunLimit enough;
  enough.cycles = whole.cycles;
  EXPECT_EQ(runner().run(program, enough).status, RunStatus::finished);
  enough.cycles = whole.cycles - 1;
  EXPECT_EQ(runner().run(program, enough).status, RunStatus::limit_reached);
}

TEST(System, LimitsTheFirstAndTheLastPeriod) {
  const Program program = pipeline(4);
  const Measurement whole = runner().run(program, {}).measurement;
  const auto& done = whole.period_done_cycles;
  RunLimit limit;
  limit.first_period_cycles = done[0];
  EXPECT_EQ(runner().run(program, limit).measurement, whole);
  limit.first_period_cycles = done[0] - 1;
  RunOutcome cut = runner().run(program, limit);
  EXPECT_EQ(cut.status, RunStatus::limit_reached);
  EXPECT_EQ(cut.measurement.cycles, done[0] - 1);
  limit = {};
  limit.last_period_cycles = done[3] - done[2];
  EXPECT_EQ(runner().run(program, limit).measurement, whole);
  limit.last_period_cycles = done[3] - done[2] - 1;
  cut = runner().run(program, limit);
  EXPECT_EQ(cut.status, RunStatus::limit_reached);
  EXPECT_EQ(cut.measurement.cycles, done[3] - 1);
}

TEST(System, ReportsADeadlock) {
  ProgramBuilder d;  // PE 0 and PE 1 each wait for the token of the other
  const auto first = d.send(1, 0, 0);
  d.send(0, 1, 0, {{first.second, 0}});
  std::swap(d.program.pes[1].ops[0], d.program.pes[1].ops[1]);
  d.program.pes[1].dependences.push_back({0, 0});
  d.program.pes[1].ops[1].dependences = {0, 1};
  const RunOutcome stuck = runner().run(d.program, {});
  ASSERT_EQ(stuck.status, RunStatus::deadlock);
  EXPECT_NE(stuck.reason.find("deadlock at cycle 0: 2 of 2 PEs are blocked, 4 micro-ops"), std::string::npos)
      << stuck.reason;
  EXPECT_NE(stuck.reason.find("pe_1_0: send #1 of period 0 waits for receive #0"), std::string::npos)
      << stuck.reason;
  EXPECT_EQ(runner().run(pipeline(2), {}).status, RunStatus::finished);
}

TEST(System, ChecksTheOrderOfAccessesIfAsked) {
  ProgramBuilder b;
  const auto t = b.tensor(0, 0, 256);
  b.vector(0, 64, {}, {}, {t});
  b.vector(0, 64, {}, {t});
  RunLimit limit;
  limit.check_order = true;
  const RunOutcome outcome = runner().run(b.program, limit);
  EXPECT_EQ(outcome.status, RunStatus::invalid_program);
  EXPECT_NE(outcome.reason.find("no dependence orders them"), std::string::npos) << outcome.reason;
}

TEST(System, RefusesAProgramThatDoesNotFit) {
  ProgramBuilder b;
  b.vector(0, 64);
  b.tensor(0, (1 << 20) - 64, 128);
  const RunOutcome outcome = runner().run(b.program, {});
  EXPECT_EQ(outcome.status, RunStatus::invalid_program);
  EXPECT_NE(outcome.reason.find("pe_0_0: micro-tensor #0"), std::string::npos) << outcome.reason;
  EXPECT_NE(outcome.reason.find("overflow"), std::string::npos);
}

TEST(System, CountsWhatWasReadOfADramTensor) {
  ProgramBuilder b;
  b.memory(0, TransferKind::load, {{PortId(0), 1000, 100, 1, 0}});
  b.memory(0, TransferKind::load, {{PortId(0), 1050, 100, 1, 0}}, {}, 1);
  b.program.dram_tensors = {{TensorId(0), DramTensorRole::weight, {{PortId(0), 900, 400, 1, 0}}}};
  const RunOutcome outcome = runner().run(b.program, {});
  ASSERT_EQ(outcome.status, RunStatus::finished) << outcome.reason;
  EXPECT_EQ(outcome.measurement.dram_coverage.at(0), (DramCoverage{TensorId(0), 400, 150}));
}

TEST(System, NamesItsModules) {
  runner();
  const std::string tree = module_tree();
  EXPECT_NE(tree.find("chip0.pe_3_0.scratchpad"), std::string::npos) << tree;
  EXPECT_NE(tree.find("chip0.memory_0"), std::string::npos);
  EXPECT_THROW(make_program_runner(line_hardware(2)), std::logic_error);
}

TEST(System, RunsAnEmptyProgram) {
  Program empty;
  const RunOutcome outcome = runner().run(empty, {});
  EXPECT_EQ(outcome.status, RunStatus::finished);
  EXPECT_EQ(outcome.measurement.cycles, 0u);
}

}  // namespace
}  // namespace dfsim
