#include "planner/app/commands/pe.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "planner/app/exit_codes.h"
#include "sim/base/errors.h"
#include "sim/pe/matmul_timing.h"

namespace dfsim {

namespace {

constexpr std::uint32_t kMostSize = 1u << 24;

struct PeOptions {
  std::uint32_t rows = 32, cols = 32;
  std::string dataflow = "os";
  std::string folds = "serial";
  std::uint32_t m = 0, n = 0, k = 0;
  std::string conv;
  bool json = false;
};

[[noreturn]] void refuse(const std::string& option, const std::string& what, const std::string& hint = {}) {
  throw InputError({{{option, 0, 0}, what, hint}});
}

/// A product, done `count` times one after another (once per group of a convolution).
struct Products {
  std::uint32_t m = 0, n = 0, k = 0, count = 1;
};

/// H,W,Cin,Kh,Kw,Cout,stride,pad,groups as one product per group (im2col): m output positions, n filters of a
/// group, k inputs of a filter; output sizes rounded down as in ONNX.
Products products_of_convolution(const std::string& text) {
  std::vector<std::uint64_t> v;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    std::uint32_t value = 0;
    const auto [next, error] = std::from_chars(text.data() + begin, text.data() + end, value);
    if (error != std::errc{} || next != text.data() + end || value > kMostSize)
      refuse("--conv", "'" + text + "' is not a list of whole numbers",
             "H,W,Cin,Kh,Kw,Cout,stride,pad,groups");
    v.push_back(value);
    begin = end + 1;
  }
  if (v.size() != 9)
    refuse("--conv", fmt::format("{} numbers instead of 9", v.size()),
           "H,W,Cin,Kh,Kw,Cout,stride,pad,groups");
  const std::uint64_t height = v[0], width = v[1], channels = v[2], kernel_h = v[3], kernel_w = v[4],
                      filters = v[5], stride = v[6], pad = v[7], groups = v[8];
  for (const std::size_t i : {0, 1, 2, 3, 4, 5, 6, 8})
    if (v[i] == 0) refuse("--conv", "only the padding may be 0");
  if (channels % groups != 0 || filters % groups != 0)
    refuse("--conv",
           fmt::format("{} groups do not divide {} input and {} output channels", groups, channels, filters));
  if (height + 2 * pad < kernel_h || width + 2 * pad < kernel_w)
    refuse("--conv", "the kernel is larger than the padded input");
  const std::uint64_t m =
      ((height + 2 * pad - kernel_h) / stride + 1) * ((width + 2 * pad - kernel_w) / stride + 1);
  const std::uint64_t k = kernel_h * kernel_w * (channels / groups);
  if (m > UINT32_MAX || k > UINT32_MAX) refuse("--conv", "the convolution is too large");
  return {static_cast<std::uint32_t>(m), static_cast<std::uint32_t>(filters / groups),
          static_cast<std::uint32_t>(k), static_cast<std::uint32_t>(groups)};
}

void run(const PeOptions& options) {
  MatrixUnitSpec unit;
  unit.rows = options.rows;
  unit.columns = options.cols;
  unit.dataflow = options.dataflow == "ws"   ? Dataflow::weight_stationary
                  : options.dataflow == "is" ? Dataflow::input_stationary
                                             : Dataflow::output_stationary;
  unit.folds = options.folds == "pipelined" ? FoldMode::pipelined : FoldMode::serial;
  Products products{options.m, options.n, options.k, 1};
  if (!options.conv.empty()) {
    if (options.m || options.n || options.k) refuse("--conv", "give either --conv or --m, --n and --k");
    products = products_of_convolution(options.conv);
  } else if (!options.m || !options.n || !options.k) {
    refuse("pe", "give --m, --n and --k, or --conv");
  }
  MatmulWork work;
  work.m = products.m;
  work.n = products.n;
  work.k = products.k;
  work.count = products.count;
  const MatmulTiming timing = matmul_timing(unit, work);
  const double cells = static_cast<double>(unit.rows) * unit.columns;
  const double utilisation =
      timing.total_cycles == 0
          ? 0
          : static_cast<double>(work.macs()) / (cells * static_cast<double>(timing.total_cycles));
  if (options.json) {
    const nlohmann::ordered_json json = {{"folds", timing.folds},
                                         {"cycles_per_fold", timing.cycles_per_fold},
                                         {"compute_cycles", timing.total_cycles},
                                         {"mapping_util", timing.mapping_util},
                                         {"compute_util", utilisation}};
    fmt::print("{}\n", json.dump(2));
    return;
  }
  fmt::print("product      {} x {} x {} (m, n, k), {} time{}\n", work.m, work.n, work.k, work.count,
             work.count == 1 ? "" : "s");
  fmt::print("folds        {} of {} cycles\n", timing.folds, timing.cycles_per_fold);
  fmt::print("cycles       {}\n", timing.total_cycles);
  fmt::print("utilisation  {:.4f} of the cells mapped, {:.4f} of the peak\n", timing.mapping_util,
             utilisation);
}

}  // namespace

void add_pe_command(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<PeOptions>();
  CLI::App* command = app.add_subcommand("pe", "cycles of the matrix unit alone");
  const auto size = CLI::Range(1u, kMostSize);
  command->add_option("--rows", options->rows, "rows of the array")
      ->check(CLI::Range(1, 65536))
      ->capture_default_str();
  command->add_option("--cols", options->cols, "columns of the array")
      ->check(CLI::Range(1, 65536))
      ->capture_default_str();
  command->add_option("--dataflow", options->dataflow, "what stays: outputs, weights or inputs")
      ->check(CLI::IsMember({"os", "ws", "is"}))
      ->capture_default_str();
  command->add_option("--folds", options->folds, "one after another, or overlapped")
      ->check(CLI::IsMember({"serial", "pipelined"}))
      ->capture_default_str();
  command->add_option("--m", options->m, "rows of the result")->check(size);
  command->add_option("--n", options->n, "columns of the result")->check(size);
  command->add_option("--k", options->k, "inner size")->check(size);
  command->add_option("--conv", options->conv,
                      "H,W,Cin,Kh,Kw,Cout,stride,pad,groups instead of --m, --n, --k");
  command->add_flag("--json", options->json, "print JSON");
  command->callback([options, &exit_code] {
    run(*options);
    exit_code = kOk;
  });
}

}  // namespace dfsim
