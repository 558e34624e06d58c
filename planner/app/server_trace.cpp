#include "planner/app/server_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "planner/app/version.h"
#include "sim/trace/chrome_trace.h"
#include "sim/trace/lanes.h"
#include "sim/trace/output_file.h"

namespace dfsim {

namespace {

/// What is drawn on one processor or one direction of a link.
struct Bar {
  std::uint64_t start = 0, end = 0;
  std::string name;
  std::vector<TraceArgument> arguments;
};

class ServerTrace {
 public:
  ServerTrace(const ServerSpec& server, const std::vector<std::string>& subgraphs,
              const ServerMeasurement& measurement)
      : server_(server), subgraphs_(subgraphs) {
    for (const JobRecord& job : measurement.jobs) add_job(job);
    for (const CopyRecord& copy : measurement.copies) add_copy(copy);
  }

  void write(TraceSink& sink) {
    draw(sink, 1, "processors", jobs_);
    draw(sink, 2, "links", copies_);
    sink.finish({trace_number("version", 2), trace_text("server", server_.name),
                 trace_text("dfsim_version", version())});
  }

 private:
  void add_job(const JobRecord& job) {
    jobs_[server_.processors[job.processor].name].push_back(
        {job.start_ps,
         job.end_ps,
         subgraphs_[job.subgraph],
         {{"request", false, job.request, {}}, {"waited_ps", false, job.start_ps - job.ready_ps, {}}}});
  }

  /// A copy is drawn on each link that it crosses.
  void add_copy(const CopyRecord& copy) {
    const auto name = [&](const std::optional<std::uint32_t>& subgraph, const char* outside) {
      return subgraph ? subgraphs_[*subgraph] : std::string(outside);
    };
    const Bar bar{
        copy.start_ps,
        copy.end_ps,
        fmt::format("{} to {}", name(copy.from_subgraph, "input"), name(copy.to_subgraph, "output")),
        {{"request", false, copy.request, {}}, {"bytes", false, copy.bytes, {}}}};
    if (copy.from_processor && server_.processors[*copy.from_processor].link)
      copies_[server_.processors[*copy.from_processor].name + " to host"].push_back(bar);
    if (copy.to_processor && server_.processors[*copy.to_processor].link)
      copies_[server_.processors[*copy.to_processor].name + " from host"].push_back(bar);
  }

  void draw(TraceSink& sink, std::uint32_t process, const std::string& name,
            std::map<std::string, std::vector<Bar>>& tracks) {
    sink.process({process, name, process});
    for (auto& [track, bars] : tracks) {
      std::stable_sort(bars.begin(), bars.end(),
                       [](const Bar& a, const Bar& b) { return a.start < b.start; });
      Lanes lanes;
      std::vector<std::uint32_t> threads;  // by lane
      for (Bar& bar : bars) {
        const std::uint32_t lane = lanes.take(bar.start, bar.end);
        if (lane == threads.size()) {
          threads.push_back(++threads_);
          sink.thread(
              {process, threads_, lane == 0 ? track : fmt::format("{} ({})", track, lane + 1), threads_});
        }
        TraceSlice slice;
        slice.process = process;
        slice.thread = threads[lane];
        slice.start = bar.start;
        slice.end = bar.end;
        slice.name = bar.name;
        slice.category = name;
        slice.arguments = bar.arguments;
        sink.slice(slice);
      }
    }
  }

  const ServerSpec& server_;
  const std::vector<std::string>& subgraphs_;
  std::map<std::string, std::vector<Bar>> jobs_, copies_;
  std::uint32_t threads_ = 0;
};

}  // namespace

void write_server_trace(const ServerSpec& server, const std::vector<std::string>& subgraphs,
                        const ServerMeasurement& measurement, const std::string& path) {
  const std::string part = path + ".part";
  {
    OutputFile file(part, path);
    ChromeTrace sink(file, 1);
    ServerTrace(server, subgraphs, measurement).write(sink);
    file.close();
  }
  std::filesystem::rename(part, path);
}

}  // namespace dfsim
