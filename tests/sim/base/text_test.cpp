// Text on its way into files that others read.
#include <gtest/gtest.h>

#include "sim/base/csv.h"
#include "sim/base/html.h"

namespace dfsim {
namespace {

TEST(Csv, FieldsComeBackWhateverTheyHold) {
  const std::vector<std::string> fields{"plain", "a,b", "say \"no\"", "two\nlines", "# no comment", ""};
  std::string line;
  for (const std::string& field : fields) line += (line.empty() ? "" : ",") + csv_field(field);
  const auto records = parse_csv("# a comment\n" + line + "\nsecond,record\n");
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[0], fields);
  EXPECT_EQ(records[1], (std::vector<std::string>{"second", "record"}));
  EXPECT_EQ(csv_field("plain"), "plain");
}

TEST(Html, NoTextBecomesMarkup) {
  EXPECT_EQ(html_escaped("</script><b a='1' c=\"2\">&"),
            "&lt;/script&gt;&lt;b a=&#39;1&#39; c=&quot;2&quot;&gt;&amp;");
  EXPECT_EQ(html_escaped("a\tb\nc\x01"), "a\tb\nc\xEF\xBF\xBD");
  EXPECT_EQ(html_escaped("Fälle"), "Fälle");
}

}  // namespace
}  // namespace dfsim
