#include "sim/host/dispatcher.h"

#include <algorithm>

namespace dfsim {

Dispatcher::Dispatcher(sc_core::sc_module_name name, std::size_t processor_count)
    : sc_module(name), processors("processors", processor_count), fabric("fabric") {
  SC_METHOD(arrive);
  sensitive << arrival_;
  dont_initialize();
}

void Dispatcher::begin(const ServerTask& task, const ServerRun& run) {
  task_ = &task;
  run_ = &run;
  out_edges_.assign(task.subgraphs.size(), {});
  for (std::uint32_t e = 0; e < task.edges.size(); ++e) out_edges_[task.edges[e].from].push_back(e);
  progress_.assign(run.requests.size(), {});
  copies_.clear();
  measurement_ = {};
  measurement_.done_ps.assign(run.requests.size(), 0);
  arrived_ = 0;
  ended_ = 0;
  begun_ = sc_core::sc_time_stamp();
  arrival_.cancel();
  if (!run.requests.empty()) arrival_.notify(sc_core::sc_time::from_value(run.requests[0].arrival_ps));
}

void Dispatcher::arrive() {
  const auto& requests = run_->requests;
  while (arrived_ < requests.size() && requests[arrived_].arrival_ps <= now_ps()) {
    if (run_->one_at_a_time && ended_ < arrived_) return;  // part_done() comes back here
    start(arrived_++);
  }
  if (arrived_ < requests.size())
    arrival_.notify(sc_core::sc_time::from_value(requests[arrived_].arrival_ps - now_ps()));
}

const SubgraphWork& Dispatcher::work(std::uint32_t request, std::uint32_t subgraph) const {
  return task_->subgraphs[subgraph][run_->requests[request].sample_class];
}

void Dispatcher::start(std::uint32_t request) {
  const std::size_t count = task_->subgraphs.size();
  Progress& progress = progress_[request];
  progress.missing.assign(count, 1);  // the start itself, so that nothing begins before all is counted
  progress.ready_ps.assign(count, 0);
  progress.start_ps.assign(count, 0);
  progress.left = static_cast<std::uint32_t>(count);
  for (const TaskEdge& edge : task_->edges) ++progress.missing[edge.to];
  for (std::uint32_t i = 0; i < count; ++i) {
    progress.missing[i] += work(request, i).input_bytes > 0;
    progress.left += work(request, i).output_bytes > 0;
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    if (const std::uint64_t bytes = work(request, i).input_bytes; bytes > 0)
      begin_copy({request, {}, i, {}, run_->assignment[i], bytes, 0, 0});
    input_there(request, i);
  }
}

void Dispatcher::begin_copy(CopyRecord record) {
  record.start_ps = now_ps();
  const auto id = static_cast<std::uint32_t>(copies_.size());
  copies_.push_back(record);
  fabric->copy({id, record.from_processor, record.to_processor, record.bytes});
}

void Dispatcher::input_there(std::uint32_t request, std::uint32_t subgraph) {
  Progress& progress = progress_[request];
  if (--progress.missing[subgraph] > 0) return;
  progress.ready_ps[subgraph] = now_ps();
  processors[run_->assignment[subgraph]]->submit(
      {request, subgraph, run_->requests[request].sample_class, &work(request, subgraph)});
}

void Dispatcher::job_started(std::uint32_t, const Job& job) {
  progress_[job.request].start_ps[job.subgraph] = now_ps();
}

void Dispatcher::job_ended(std::uint32_t processor, const Job& job) {
  const Progress& progress = progress_[job.request];
  measurement_.jobs.push_back({job.request, job.subgraph, processor, progress.ready_ps[job.subgraph],
                               progress.start_ps[job.subgraph], now_ps()});
  for (const std::uint32_t e : out_edges_[job.subgraph]) {
    const TaskEdge& edge = task_->edges[e];
    const std::uint32_t to = run_->assignment[edge.to];
    if (to == processor)
      input_there(job.request, edge.to);
    else
      begin_copy({job.request, job.subgraph, edge.to, processor, to, edge.bytes[job.sample_class], 0, 0});
  }
  if (const std::uint64_t bytes = job.work->output_bytes; bytes > 0)
    begin_copy({job.request, job.subgraph, {}, processor, {}, bytes, 0, 0});
  part_done(job.request);
}

void Dispatcher::copy_ended(std::uint32_t id) {
  CopyRecord record = copies_[id];
  record.end_ps = now_ps();
  measurement_.copies.push_back(record);
  if (record.to_subgraph)
    input_there(record.request, *record.to_subgraph);
  else
    part_done(record.request);
}

void Dispatcher::part_done(std::uint32_t request) {
  if (--progress_[request].left > 0) return;
  measurement_.done_ps[request] = now_ps();
  ++ended_;
  if (run_->one_at_a_time && arrived_ < run_->requests.size()) arrival_.notify(sc_core::SC_ZERO_TIME);
}

}  // namespace dfsim
