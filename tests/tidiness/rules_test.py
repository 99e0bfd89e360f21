"""Every rule finds what it is there to find, and lets pass what is right."""

import pathlib
import tempfile
import unittest

import rules

GOOD_HEADER = "// Good.\n#pragma once\n"
LONG_COMMENT = "// " + "x" * 98 + "\n"

# A file, its text, and what must be said about it (nothing: None).
CASES = [
    ("common/base/a.h", GOOD_HEADER, None),
    ("common/base/a.h", "#pragma once\n", "begins with a comment"),
    ("common/base/a.h", "// Text.\n", "#pragma once is missing"),
    ("common/base/a.cc", "int  a;\n", ":1: not as clang-format-16 writes it"),
    ("common/base/a.cc", "int a;\n", None),
    ("common/base/a.cc", LONG_COMMENT, ":1: 101 columns"),
    ("deploy/a.sh", "true\n" + "# " + "x" * 99 + "\n", ":2: 101 columns"),
    ("common/base/a.cc", "int a;\n" * 601, "601 lines"),
    ("common/base/a.cc", "int a;\n" * 600, None),
    ("common/base/a.cc", "// TO" + "DO: more\n", ":1: TO" + "DO"),
    ("docs/a.md", "FIX" + "ME\n", ":1: FIX" + "ME"),
    ("agent/session/a.cc", '#include "coordinator/plan/plan.h"\n', "may not include coordinator"),
    ("coordinator/run/a.cc", '#include "agent/engine/reactor.h"\n', "may not include agent"),
    ("common/rpc/a.cc", '#include "agent/engine/reactor.h"\n', "may not include agent"),
    ("common/rpc/a.cc", '#include "sysfleet/v1/agent.pb.h"\n', None),
    ("common/base/a.cc", '#include "common/rpc/channel.h"\n', "may not include common/rpc"),
    ("agent/engine/a.cc", '#include "agent/database/mysql/a.h"\n', "may not include agent"),
    ("agent/engine/a.cc", '#include "agent/database/connection.h"\n', None),
    ("agent/database/a.cc", '#include "agent/engine/reactor.h"\n', "may not include agent/engine"),
    ("agent/database/a.cc", '#include "sysfleet/v1/workload.pb.h"\n', "may not include sysfleet"),
    ("agent/database/a.cc", '#include "agent/database/mysql/a.h"\n', None),
    ("coordinator/report/a.cc", '#include "coordinator/plan/plan.h"\n', "may not include"),
    ("coordinator/report/a.cc", '#include "coordinator/result/result.h"\n', None),
    ("coordinator/run/a.cc", '#include "tests/support/a.h"\n', "may not include tests"),
    ("tests/agent/a.cc", '#include "agent/engine/reactor.h"\n', None),
    ("agent/session/a.h", GOOD_HEADER + '#include "sysfleet/v1/agent.pb.h"\n', None),
    ("deploy/run", "#!/usr/bin/env bash\nif true; then\n", "not a valid shell script"),
    ("deploy/run", "#!/usr/bin/env bash\ntrue\n", None),
    ("README.md", "[a](docs/none.md)\n", "there is no docs/none.md"),
    ("docs/a.md", "[a](../none.md)\n", "there is no none.md"),
    ("docs/a.md", "[a](b.md)\n", "there is no docs/b.md"),
    ("docs/a.md", "# One thing\n[a](#one-thing) [b](a.md#one-thing)\n", None),
    ("docs/a.md", "# One thing\n[a](#another)\n", "no such heading"),
    ("docs/a.md", "```\n# One thing\n```\n[a](#one-thing)\n", "no such heading"),
    ("docs/a.md", "```\n[a](none.md)\n```\n[b](https://example.org/none.md)\n", None),
]


class RulesTest(unittest.TestCase):
    def test_cases(self):
        clang_format = pathlib.Path(__file__).parents[2] / ".clang-format"
        for path, text, expected in CASES:
            with self.subTest(path=path, text=text[:60]), tempfile.TemporaryDirectory() as folder:
                root = pathlib.Path(folder)
                (root / ".clang-format").write_text(clang_format.read_text())
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text)
                found = rules.problems(root, [path])
                if expected is None:
                    self.assertEqual(found, [])
                else:
                    self.assertEqual(len(found), 1, found)
                    self.assertIn(expected, found[0])
                    self.assertTrue(found[0].startswith(path + ":"), found[0])

    def test_protocol_headers_do_not_spread(self):
        for included in ('#include "sysfleet/v1/agent.pb.h"\n', "#include <grpcpp/grpcpp.h>\n"):
            with self.subTest(included=included), tempfile.TemporaryDirectory() as folder:
                root = pathlib.Path(folder)
                a, b = root / "agent/session/a.h", root / "agent/session/b.h"
                a.parent.mkdir(parents=True)
                a.write_text(GOOD_HEADER + included)
                b.write_text(GOOD_HEADER + '#include "agent/session/a.h"\n')
                clang_format = pathlib.Path(__file__).parents[2] / ".clang-format"
                (root / ".clang-format").write_text(clang_format.read_text())
                found = rules.problems(root, ["agent/session/a.h", "agent/session/b.h"])
                self.assertEqual(len(found), 1, found)
                self.assertIn("not in a header that other headers include", found[0])


if __name__ == "__main__":
    unittest.main()
