"""Runs the commands in documents and examples, which must print what the documents say. (README.md: tests/install. run.py
describes how commands are written.)"""

import json
import os
import re
import shutil
import subprocess

import pytest
import run
from harness import BUILD, ROOT

PROGRAMS = BUILD / "tests/documents/examples"
DRIVER = BUILD / "tests/sim/driver"  # the simulated device
EXAMPLES = sorted(path for path in ROOT.glob("examples/*.c") if not path.name.startswith("gpu_"))
GPU_EXAMPLES = sorted(ROOT.glob("examples/gpu_*.c"))


def check(document, **more):
    reason = run.check(str(document), **more)
    if reason:
        pytest.skip(reason)


@pytest.fixture
def device(monkeypatch):
    """A simulated device, except under ThreadSanitizer, which cannot follow the device's fibers."""
    if DRIVER.exists() and "thread" not in os.environ.get("TRAWL_TEST_SANITIZED", ""):
        monkeypatch.setenv("LD_LIBRARY_PATH", f"{DRIVER}:{os.environ.get('LD_LIBRARY_PATH', '')}")


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_example(path):
    check(path, programs=str(PROGRAMS))


@pytest.mark.parametrize("path", GPU_EXAMPLES, ids=lambda path: path.name)
def test_gpu_example(path, device):
    check(path, programs=str(PROGRAMS))


@pytest.mark.parametrize("name", ["guide", "approximate", "genomes", "regex", "faq", "editors"])
def test_guide(name, device):
    """guide.md also decompresses a file."""
    check(ROOT / f"docs/{name}.md", path=[str(BUILD)], link=[f"trawl={ROOT}"])


@pytest.mark.parametrize(
    "path", [*(f"docs/papers/{name}.md" for name in ("pss", "bmh", "swift", "word")), "gallery/README.md"]
)
def test_gallery(path, device):
    check(ROOT / path, path=[str(BUILD)])


def test_server():
    check(ROOT / "docs/server.md", path=[str(BUILD)], stories=True)


# What each program makes of the lines of docs/editors.md: file:line:column of each match.
VIM = """silent grep! needle
call writefile(map(getqflist(), {_, q -> bufname(q.bufnr) . ':' . q.lnum . ':' . q.col}), 'places')
qa!"""
EMACS = """(require 'grep) (require 'xref)
(defvar places (expand-file-name "places"))
(defun place (file line column)
  (let ((name (file-relative-name file (file-name-directory places))))
    (write-region (format "%s:%d:%d\n" name line column) nil places t)))
(let ((found (compilation-start (concat grep-command "needle") 'grep-mode)))
  (while (get-buffer-process found) (accept-process-output nil 0.1))
  (with-current-buffer found
    (dotimes (_ 2) (next-error)
      (with-current-buffer (window-buffer) (place (buffer-file-name) (line-number-at-pos) (1+ (current-column)))))))
(dolist (item (xref-matches-in-files "needle" (list (expand-file-name "a:1:b") (expand-file-name "src/main.c"))))
  (let ((at (xref-item-location item)))
    (place (xref-location-group at) (xref-location-line at) (1+ (xref-file-location-column at)))))"""


@pytest.mark.parametrize("language", ["vim", "elisp", "json"])
def test_editors(language, tmp_path, monkeypatch):
    """Each finds each match (Emacs' grep the first of each line) at its place, whatever is in the file's name."""
    program = {"vim": "vim", "elisp": "emacs", "json": "tg"}[language]
    monkeypatch.setenv("PATH", f"{BUILD}:{os.environ['PATH']}")
    if shutil.which(program) is None:
        pytest.skip(f"no {program}")
    lines = re.search(rf"```{language}\n(.*?)```", (ROOT / "docs/editors.md").read_text(), re.DOTALL).group(1)
    (tmp_path / "src").mkdir()
    (tmp_path / "src/main.c").write_text("int x;\n  needle(x); needle();\n")
    expected = ["src/main.c:2:14", "src/main.c:2:3"]
    (tmp_path / ".init").write_text(lines)
    (tmp_path / ".do").write_text({"vim": VIM, "elisp": EMACS, "json": ""}[language])
    command = ["vim", "-es", "-u", ".init", "-S", ".do"]
    if language == "elisp":
        (tmp_path / "a:1:b").write_text("a needle\n")
        expected += ["src/main.c:2:3", "a:1:b:1:3", "a:1:b:1:3"]
        command = [program, "-Q", "--batch", "-l", ".init", "-l", ".do"]
    if language == "json":
        task = json.loads(lines)["tasks"][0]
        command = [task["command"], *(word.replace("${input:pattern}", "needle") for word in task["args"])]
    printed = subprocess.run(
        command, cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60
    )
    if language == "json":
        found = re.findall(task["problemMatcher"]["pattern"]["regexp"], printed.stdout, re.MULTILINE)
        places = [":".join(match[:3]) for match in found]
    else:
        places = (tmp_path / "places").read_text().split()
    assert sorted(place.removeprefix("./") for place in places) == sorted(expected), printed
