"""The rules that every file of the project keeps. Each yields problems as "path:line: what is
wrong"; `problems` applies them all."""

import os
import posixpath
import re
import subprocess

COLUMNS_MAX = 100
CPP_LINES_MAX = 600
CODE_SUFFIXES = (".h", ".cc", ".proto", ".py", ".sh")

# What a folder's files may include of the project; the innermost folder listed here counts.
# "sysfleet" is the generated protocol.
MAY_INCLUDE = {
    "common": ["common", "sysfleet"],
    "common/base": ["common/base"],
    "agent": ["agent", "common", "sysfleet"],
    "agent/database": ["agent/database", "common"],
    "coordinator": ["coordinator", "common", "sysfleet"],
    "coordinator/plan": ["coordinator/plan", "common"],
    "coordinator/sysbench": ["coordinator/sysbench", "coordinator/plan", "common"],
    "coordinator/report": ["coordinator/report", "coordinator/result", "common"],
}
# Exceptions to the above: an engine is built on the interface, not on a driver.
MAY_NOT_INCLUDE = {
    "agent/engine": ["agent/database/postgresql", "agent/database/mysql"],
}

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]')
PROTOCOL_HEADER = re.compile(r"\.pb\.h$|^grpc|^google/protobuf/")
# Spelled so that these lines do not find themselves.
UNFINISHED = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X)\b")
MARKDOWN_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
MARKDOWN_FENCE = re.compile(r"^\s*(```|~~~)")


def problems(root, files):
    """All problems of `files`, which are paths relative to the folder `root`."""
    found = []
    texts = {path: _read(root, path) for path in files}
    spread = _included_by_headers(texts)
    for path, text in texts.items():
        if text is None:
            continue
        found += _lines(path, text)
        found += _unfinished(path, text)
        if path.endswith((".h", ".cc")):
            found += _includes(path, text)
            found += _protocol(path, text, spread)
        if path.endswith(".h"):
            found += _header(path, text)
        if path.endswith(".md"):
            found += _links(root, path, text)
        if _is_shell(path, text):
            found += _shell(root, path)
    found += _format(root, [path for path in files if path.endswith((".h", ".cc"))])
    return sorted(found)


def _read(root, path):
    """None for a file that is not text."""
    try:
        return (root / path).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return None


def _is_within(path, folder):
    return path == folder or path.startswith(folder + "/")


def _lines(path, text):
    lines = text.splitlines()
    if path.endswith((".h", ".cc")) and len(lines) > CPP_LINES_MAX:
        yield f"{path}:1: {len(lines)} lines; a file of more than {CPP_LINES_MAX} has two subjects"
    if path.endswith(CODE_SUFFIXES):
        for number, line in enumerate(lines, 1):
            if len(line) > COLUMNS_MAX:
                yield f"{path}:{number}: {len(line)} columns, at most {COLUMNS_MAX}"


def _unfinished(path, text):
    for number, line in enumerate(text.splitlines(), 1):
        match = UNFINISHED.search(line)
        if match:
            yield f"{path}:{number}: {match[0]}: finish it or leave it out"


def _header(path, text):
    lines = text.splitlines()
    if not lines or not lines[0].startswith("//"):
        yield f"{path}:1: a header begins with a comment that states its purpose"
    if "#pragma once" not in lines:
        yield f"{path}:1: #pragma once is missing"


def _includes(path, text):
    allowed = _innermost(MAY_INCLUDE, path)
    forbidden = _innermost(MAY_NOT_INCLUDE, path) or []
    for number, line in enumerate(text.splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        header = match[1]
        of_project = header.split("/")[0] in ("agent", "common", "coordinator", "tests", "sysfleet")
        if not of_project or allowed is None:
            continue
        if not any(_is_within(header, room) for room in allowed) or \
                any(_is_within(header, room) for room in forbidden):
            yield f"{path}:{number}: {posixpath.dirname(path)} may not include {header}"


def _included_by_headers(texts):
    """Headers that other headers pass on."""
    return {match[1] for path, text in texts.items() if text and path.endswith(".h")
            for match in map(INCLUDE.match, text.splitlines()) if match}


def _protocol(path, text, spread):
    """These headers are slow to compile: what many include must not include them."""
    if not path.endswith(".h") or path not in spread:
        return
    for number, line in enumerate(text.splitlines(), 1):
        match = INCLUDE.match(line)
        if match and PROTOCOL_HEADER.search(match[1]):
            yield f"{path}:{number}: {match[1]}: not in a header that other headers include"


def _innermost(table, path):
    folders = [folder for folder in table if _is_within(path, folder)]
    return table[max(folders, key=len)] if folders else None


def _is_shell(path, text):
    first_line = text.split("\n", 1)[0]
    return path.endswith(".sh") or re.match(r"#!.*\b(ba)?sh\b", first_line) is not None


def _shell(root, path):
    run = subprocess.run(["bash", "-n", path], cwd=root, capture_output=True, text=True)
    if run.returncode != 0:
        yield f"{path}:1: not a valid shell script: {run.stderr.strip()}"


def _links(root, path, text):
    """Links to files and headings of the project; what is on the web is not followed."""
    for number, line in _outside_fences(text):
        for target in MARKDOWN_LINK.findall(line):
            if re.match(r"[a-z]+:", target):
                continue
            file_part, _, heading = target.partition("#")
            linked = posixpath.normpath(posixpath.join(posixpath.dirname(path), file_part)) \
                if file_part else path
            if not os.path.exists(root / linked):
                yield f"{path}:{number}: link to {target}: there is no {linked}"
            elif heading and linked.endswith(".md") and \
                    heading not in _headings((root / linked).read_text(encoding="utf-8")):
                yield f"{path}:{number}: link to {target}: {linked} has no such heading"


def _headings(text):
    """As GitHub makes anchors of them."""
    for _, line in _outside_fences(text):
        match = re.match(r"#+\s+(.*)", line)
        if match:
            yield re.sub(r"[^\w\- ]", "", match[1].strip().lower()).replace(" ", "-")


def _outside_fences(text):
    fenced = False
    for number, line in enumerate(text.splitlines(), 1):
        if MARKDOWN_FENCE.match(line):
            fenced = not fenced
        elif not fenced:
            yield number, line


def _format(root, files):
    if not files:
        return
    run = subprocess.run(
        ["clang-format-16", "--dry-run", "-Werror", "--ferror-limit=1", *files],
        cwd=root, capture_output=True, text=True)
    for match in re.finditer(r"^(\S+?):(\d+):\d+: error: .*clang-format", run.stderr, re.M):
        yield f"{match[1]}:{match[2]}: not as clang-format-16 writes it"
    if run.returncode != 0 and "error:" not in run.stderr:
        yield f"clang-format-16: {run.stderr.strip()}"
