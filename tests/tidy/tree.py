"""tree: lists and reads the files of a source tree for the checks."""

import os
import subprocess

C_SUFFIXES = (".c", ".h", ".cc", ".cpp", ".cu", ".cuh")
HERE = os.path.dirname(os.path.abspath(__file__))


def source_of(name):
    """Return the source of an object; CMake writes __ for a folder above the folder that lists
    the source."""
    return os.path.normpath(name.replace("__/", "../"))[: -len(".o")]


class Skip(Exception):
    """Raised if a check cannot run here; the message says why."""


class Tree:
    def __init__(self, root):
        self.root = os.path.abspath(root)
        self.layers_path = os.path.join(HERE, "layers.txt")
        self.words_path = os.path.join(HERE, "words.txt")
        self._texts = {}
        listed = self._from_git() if os.path.exists(os.path.join(self.root, ".git")) else None
        names = listed if listed is not None else self._from_walk()
        self._names = sorted(names)
        self._set = set(self._names)

    def _from_git(self):
        """Return the files that git does not ignore, committed or not. None: git is missing or
        fails."""
        command = ["git", "-c", "safe.directory=*", "ls-files", "-z", "-co", "--exclude-standard"]
        try:
            result = subprocess.run(command, cwd=self.root, capture_output=True, check=False)
        except FileNotFoundError:
            return None
        if result.returncode != 0:
            return None
        names = result.stdout.decode().split("\0")
        return [name for name in names if name and os.path.isfile(os.path.join(self.root, name))]

    def _from_walk(self):
        for folder, folders, names in os.walk(self.root):
            folders[:] = [name for name in folders if name not in (".git", "build")]
            for name in names:
                yield os.path.relpath(os.path.join(folder, name), self.root)

    def files(self, suffixes):
        """Return paths from the root, sorted; suffixes None: all paths."""
        return [name for name in self._names if suffixes is None or name.endswith(suffixes)]

    def has(self, path):
        return path in self._set

    def is_text(self, path):
        with open(os.path.join(self.root, path), "rb") as file:
            head = file.read(4096)
        is_own = "/corpus/" not in path and path != "tools/serve/page/prism.js"
        return b"\0" not in head and is_own

    def read(self, path):
        if path not in self._texts:
            with open(os.path.join(self.root, path), encoding="utf-8", errors="surrogateescape") as file:
                self._texts[path] = file.read()
        return self._texts[path]
