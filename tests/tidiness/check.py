"""Checks the tracked files of a repository: check.py [ROOT]. One line a problem; exit code 1."""

import pathlib
import subprocess
import sys

import rules


def tracked_files(root):
    """Paths relative to `root`, of files that are there."""
    # The tests may run as another user than the one who cloned.
    listing = subprocess.run(
        ["git", "-c", "safe.directory=*", "ls-files", "-z"],
        cwd=root, check=True, capture_output=True, text=True).stdout
    return [path for path in listing.split("\0") if path and (root / path).is_file()]


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    files = tracked_files(root)
    problems = rules.problems(root, files)
    for problem in problems:
        print(problem)
    print(f"{len(files)} files, {len(problems)} problems")
    return 1 if problems or not files else 0


if __name__ == "__main__":
    sys.exit(main())
