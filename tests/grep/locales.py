"""locales: makes the locales that the tests of random command lines need, with localedef.

The folder `locales` next to the command keeps them for the next run; LOCPATH tells grep and trawl where it is. Debian's
package `locales` has the sources. A message names each locale that cannot be made.
"""

import os
import shutil
import subprocess
import tempfile

# KNOWN lists for each locale: source, character map, Python's name of the map, strings of letters.
LETTERS_LATIN = ["é", "É", "ß", "ÿ", "µ", "café", "CAFÉ", "éa", "aé", "×", "ñ", "Ñ"]
LETTERS_TURKISH = ["i", "I", "İ", "ı", "dir", "DİR", "DIR", "ş", "Ş", "ğ", "Kılıç", "KILIÇ", "k", "s", "iς", "İΣ", "σ"]
LETTERS_GREEK = ["σ", "ς", "Σ", "Σίσυφος", "ΣΊΣΥΦΟΣ", "ώ", "Ώ", "ΰ", "Ψ", "ψ"]
KNOWN = {
    "en_US.UTF-8": ("en_US", "UTF-8", "utf-8", LETTERS_LATIN + ["я", "Я"]),
    "tr_TR.UTF-8": ("tr_TR", "UTF-8", "utf-8", LETTERS_TURKISH),
    "crh_UA.UTF-8": ("crh_UA", "UTF-8", "utf-8", LETTERS_TURKISH),
    "ja_JP.eucJP": ("ja_JP", "EUC-JP", "euc_jp", []),
    "de_DE.ISO-8859-1": ("de_DE", "ISO-8859-1", "latin-1", LETTERS_LATIN),
    "el_GR.ISO-8859-7": ("el_GR", "ISO-8859-7", "iso8859-7", LETTERS_GREEK),
    "tr_TR.ISO-8859-9": ("tr_TR", "ISO-8859-9", "iso8859-9", LETTERS_TURKISH),
}
QUICK = ["tr_TR.UTF-8", "ja_JP.eucJP", "de_DE.ISO-8859-1"]  # making each takes half a second of CPU time

DEFINITION = """LC_CTYPE
copy "%s"
END LC_CTYPE
"""
REST = "".join(
    '%s\ncopy "POSIX"\nEND %s\n' % (name, name)
    for name in ("LC_COLLATE", "LC_MESSAGES", "LC_MONETARY", "LC_NUMERIC", "LC_TIME")
)


def exists(name, folder):
    done = subprocess.run(
        ["locale", "charmap"], capture_output=True, env={"PATH": os.environ["PATH"], "LC_ALL": name, "LOCPATH": folder}
    )
    return done.stderr == b"" and done.stdout.strip() not in (b"", b"ANSI_X3.4-1968")


def make(name, folder):
    source, charmap, _, _ = KNOWN[name]
    with tempfile.TemporaryDirectory(prefix="trawl-locale-") as work:
        path = os.path.join(work, "definition")
        with open(path, "w", encoding="ascii") as file:
            file.write(DEFINITION % source + REST)
        made = os.path.join(work, name)
        # -c: continue after warnings, such as one about a missing part that is not used here
        subprocess.run(["localedef", "-c", "--no-archive", "-i", path, "-f", charmap, made], capture_output=True)
        if os.path.exists(os.path.join(made, "LC_CTYPE")) and not os.path.exists(os.path.join(folder, name)):
            try:
                shutil.move(made, os.path.join(folder, name))
            except OSError:
                pass  # another test has made it


def prepare(trawl, every):
    """Return the names of the locales, other than C and C.UTF-8; set LOCPATH for these locales."""
    folder = os.path.join(os.path.dirname(os.path.abspath(trawl)), "locales")
    wanted = sorted(KNOWN) if every else QUICK
    os.environ["LOCPATH"] = folder
    if shutil.which("localedef") and shutil.which("locale"):
        os.makedirs(folder, exist_ok=True)
        for name in wanted:
            if not exists(name, folder):
                make(name, folder)
        found = [name for name in wanted if exists(name, folder)]
    else:
        found = []
    missing = [name for name in wanted if name not in found]
    if missing:
        print("left out: there is no locale %s, and localedef cannot make it (package locales)" % ", ".join(missing))
    return found


def codec(name):
    if name in KNOWN:
        return KNOWN[name][2]
    return "utf-8"


def letters(name):
    """Return strings of the locale's letters, in the locale's encoding."""
    if name not in KNOWN:
        return []
    encoded = [letter.encode(KNOWN[name][2], "ignore") for letter in KNOWN[name][3]]
    return [letter for letter in encoded if letter]
