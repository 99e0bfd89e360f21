#include "coordinator/plan/document.h"

#include <gtest/gtest.h>

#include <string>

#include "coordinator/plan/encoding.h"

namespace sysfleet {
namespace {

Node Load(std::string_view text) {
  auto document = LoadDocument(text);
  if (const auto* problem = std::get_if<DocumentError>(&document)) {
    ADD_FAILURE() << text << ": " << problem->message;
    return {};
  }
  return std::get<Node>(std::move(document));
}

std::string Place(const Position& position) {
  return std::to_string(position.line) + ":" + std::to_string(position.column);
}

std::string ErrorOf(std::string_view text) {
  const auto document = LoadDocument(text);
  const auto* const problem = std::get_if<DocumentError>(&document);
  return problem == nullptr ? "no error" : Place(problem->position) + " " + problem->message;
}

TEST(LoadDocument, KeepsPlacesOfKeysAndValues) {
  const Node root = Load("a: 1\nsome-key:\n  - x\n  - {b: 'y z'}\nempty:\nlast: |\n  text\n");
  ASSERT_EQ(root.members.size(), 4U);
  EXPECT_EQ(root.members[1].key, "some_key");
  EXPECT_EQ(Place(root.members[1].key_position), "2:1");
  EXPECT_EQ(Place(PositionOf(root, "a")), "1:4");
  const Node* const list = FindNode(root, "some_key");
  ASSERT_NE(list, nullptr);
  ASSERT_EQ(list->items.size(), 2U);
  EXPECT_EQ(Place(list->items[0].position), "3:5");
  EXPECT_EQ(list->items[1].members[0].value.text, "y z");
  EXPECT_EQ(Place(list->items[1].members[0].value.position), "4:9");
  EXPECT_EQ(FindNode(root, "empty")->kind, NodeKind::kNull);
  EXPECT_EQ(Place(PositionOf(root, "empty")), "5:1");
  EXPECT_EQ(FindNode(root, "last")->text, "text\n");
}

TEST(LoadDocument, KeepsKeysThatAreThereTwice) {
  const Node root = Load("a: 1\na: 2\n");
  ASSERT_EQ(root.members.size(), 2U);
  EXPECT_EQ(Place(root.members[1].key_position), "2:1");
}

TEST(LoadDocument, PlacesWhatIsNotThereAtItsSection) {
  const Node root = Load("top: 1\nouter:\n  inner: {x: 1}\n");
  EXPECT_EQ(Place(PositionOf(root, "none")), "1:1");
  EXPECT_EQ(Place(PositionOf(root, "outer.none")), "2:1");
  EXPECT_EQ(Place(PositionOf(root, "outer.inner.none")), "3:3");
  EXPECT_EQ(FindNode(root, "outer.none"), nullptr);
  EXPECT_EQ(FindNode(root, "top.none"), nullptr);
}

TEST(LoadDocument, TakesAnEmptyTextAsNothing) {
  for (const std::string_view text : {"", "\n", "# only a comment\n", "---\n", "~"}) {
    EXPECT_EQ(Load(text).kind, NodeKind::kNull) << text;
  }
}

TEST(LoadDocument, TellsMistakesWithTheirPlace) {
  const std::pair<std::string, std::string> cases[] = {
      {"run:\n\ttime: 5s\n", "2:1 YAML: a tab in the indentation; use spaces"},
      {"run:\n  time: 5s\n\tthreads: 1\n", "3:1 YAML: a tab in the indentation; use spaces"},
      {"run:\n  \ttime: 5s\n", "2:3 YAML: a tab in the indentation; use spaces"},
      {"a: {b: 1\n", "2:1 YAML: end of map flow not found"},
      {"a: b: c\n", "1:5 YAML: illegal map value"},
      {"a: \"\\q\"\n", "1:7 YAML: unknown escape character: q"},
      {"a: [${env:X}]\n", "1:5 YAML: within [ ] and { }, put ${…} in double quotes"},
      {"a: &x 1\nb: *x\n", "2:4 YAML: an alias (*) is not known in plans; write the value out"},
      {"? [a]\n: 1\n", "1:3 YAML: expected a plain word as a key; is a bracket not closed?"},
      {"? \n: 1\n", "2:1 YAML: expected a plain word as a key; is a bracket not closed?"},
      {"a: 1\n---\nb: 2\n", "3:1 YAML: a second document; a plan is one"},
      {std::string("a: 1\nb\0", 7), "2:2 not a text file: a NUL byte"},
      {"a: \xff\n", "1:4 not a text file: a byte that is not UTF-8"},
  };
  for (const auto& [text, error] : cases) EXPECT_EQ(ErrorOf(text), error) << text;
}

TEST(LoadDocument, BearsHostileNesting) {
  std::string deep = "a: ";
  for (int i = 0; i < 100'000; ++i) deep += "[";
  EXPECT_NE(ErrorOf(deep), "no error");
  std::string maps;
  for (int i = 0; i < 1'000; ++i) maps += std::string(static_cast<size_t>(i), ' ') + "a:\n";
  EXPECT_EQ(ErrorOf(maps).substr(ErrorOf(maps).find(' ')), " YAML: nested too deeply");
}

TEST(FindBinary, FollowsRfc3629) {
  for (const std::string_view text : {"", "text\n", "\xc3\xa4", "\xe2\x82\xac", "\xf0\x9f\x98\x80",
                                      "\xf4\x8f\xbf\xbf", "\xed\x9f\xbf"}) {
    EXPECT_FALSE(FindBinary(text)) << text;
  }
  for (const std::string_view text :
       {"\x80", "\xc3", "\xc0\x80", "\xe0\x80\x80", "\xed\xa0\x80", "\xf0\x80\x80\x80",
        "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xe2\x82", "\xc3("}) {
    const auto problem = FindBinary(text);
    ASSERT_TRUE(problem) << text;
    EXPECT_EQ(Place(problem->position), "1:1");
  }
  EXPECT_EQ(Place(FindBinary("\xc3\xa4\n12\xff")->position), "2:3");
}

TEST(ForMessage, IsShortAndPrintable) {
  EXPECT_EQ(ForMessage("plain"), "plain");
  EXPECT_EQ(ForMessage("a\x1b[31m\nb\x7f"), "a?[31m?b?");
  EXPECT_EQ(ForMessage(std::string(60, 'x')), std::string(60, 'x'));
  EXPECT_EQ(ForMessage(std::string(61, 'x')), std::string(57, 'x') + "...");
  // The cut never parts a character.
  EXPECT_EQ(ForMessage(std::string(56, 'x') + "\xc3\xa4" + std::string(10, 'x')),
            std::string(56, 'x') + "...");
}

}  // namespace
}  // namespace sysfleet
