// tests/sim/pe/reference_rows.h: the rows of tests/data/pe by the names of their columns.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "sim/api/hardware.h"
#include "sim/api/program.h"
#include "sim/base/csv.h"

namespace dfsim {

using ReferenceRow = std::map<std::string, std::string>;

inline std::vector<ReferenceRow> pe_reference(const std::string& file) {
  std::ifstream in(std::string(DFSIM_SOURCE_DIR "/tests/data/pe/") + file, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  const std::vector<std::vector<std::string>> records = parse_csv(text.str());
  std::vector<ReferenceRow> rows;
  for (std::size_t r = 1; r < records.size(); ++r) {
    EXPECT_EQ(records[r].size(), records[0].size()) << file << ", record " << r;
    ReferenceRow row;
    for (std::size_t i = 0; i < records[r].size(); ++i) row[records[0][i]] = records[r][i];
    rows.push_back(row);
  }
  return rows;
}

inline std::uint32_t whole(const ReferenceRow& row, const std::string& column) {
  return static_cast<std::uint32_t>(std::stoul(row.at(column)));
}

inline std::string name_of(const ReferenceRow& row) {
  return row.at("network_layer") + " on " + row.at("array_rows") + "x" + row.at("array_cols") + " " +
         row.at("dataflow");
}

inline MatrixUnitSpec unit_of(const ReferenceRow& row, FoldMode folds = FoldMode::serial) {
  static const std::map<std::string, Dataflow> kDataflows{{"os", Dataflow::output_stationary},
                                                          {"ws", Dataflow::weight_stationary},
                                                          {"is", Dataflow::input_stationary}};
  MatrixUnitSpec spec;
  spec.rows = whole(row, "array_rows");
  spec.columns = whole(row, "array_cols");
  spec.dataflow = kDataflows.at(row.at("dataflow"));
  spec.folds = folds;
  return spec;
}

/// One product per group.
inline MatmulWork work_of(const ReferenceRow& row) {
  MatmulWork work;
  work.m = whole(row, "M");
  work.n = whole(row, "N");
  work.k = whole(row, "K");
  work.count = whole(row, "groups");
  return work;
}

}  // namespace dfsim
