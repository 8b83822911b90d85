"""Tests the server's page in a headless Chromium. pip installs playwright and axe-core once into the build.

The test makes a small tree, which a server keeps in memory, and compares what the page shows with what Python finds in the
same bytes. No test depends on a duration: the page's aria-busy says when an answer is complete. axe-core checks contrast,
labels and roles.

`PYTHONPATH=tests build/judges/bin/python tests/serve/test_page.py FILE` writes a picture of the page over the sources.
"""

import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest
from harness import BUILD, ROOT, SERVE, WAIT_S, respect_modes
from server import Server

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
WAIT_MS = WAIT_S * 1000
PACKAGES = str(BUILD / "tests/serve/packages")
ARE_CLOSED = respect_modes()  # the server cannot read files whose mode is 0

if CHROMIUM is None:
    pytest.skip("chromium is not here", allow_module_level=True)
sys.path.append(PACKAGES)
if importlib.util.find_spec("axe_playwright_python") is None:
    command = ["python3", "-m", "pip", "install", "-q", "--disable-pip-version-check", "--target", PACKAGES]
    subprocess.run([*command, "playwright", "axe-playwright-python"])
    importlib.invalidate_caches()
axe_playwright_python = pytest.importorskip("axe_playwright_python", reason="pip cannot install axe-playwright-python")
from playwright.sync_api import Error, sync_playwright  # noqa: E402

# Texts that look like markup.
EVIL_NAME = "<img src=x onerror=document.title=1>&lt;b&gt;.txt"
EVIL_LINE = '<script>document.title = 2</script><img src=x onerror="document.title=3"> needle &amp;'
TREE = {
    "many/first.txt": "".join(f"{i} needle in a row\n" for i in range(300)),
    "many/second.c": "".join(f"int needle_{i}; /* needle */\n\n" for i in range(400)),
    "words.c": "needle\nNeedle\nneedles\npre-needle-post\nneedleneedle\nneedlX\nnexdle\nNEEDLE\nnothing\n",
    "words.py": "before\nbefore that\nneedle = 1\nafter\nafter that\n",
    "umlaut.txt": "Größe: ÄÖÜ needle 😀 needle €\n😀😀 Größe\ngröße GRÖSSE needle\n",
    "bytes.txt": b"\xff\xfe needle \xc3 needle\xe2\x82\n",
    "control.txt": "tab\tneedle \x1b[31mred\x07\r\n\ufeffneedle after a mark\n",
    "a blank.txt": "zebu \x7f\x9b31m \u202egpj.exe\u2066\u2069\u200e\u2028 \u200d\n",
    "long.txt": "ä" * 50000 + "- needle " + "ü" * 25000 + "\n",
    "minified.js": "x" * 3000 + "first();" + "y" * 5000 + "second();third();" + "z" * 4000 + "\n",
    "aaa.txt": "aaaaaa\n",
    "odd #1?.txt": "an octothorpe\n",
    **{f"zoo/{i}.bin": b"zebra\0\nzebra\n" for i in range(6)},
    **{f"zoo/{i}.txt": "zebra\n" * 150 for i in range(2)},
    EVIL_NAME: EVIL_LINE + "\n",
}

# Returns what the page shows: the lines of each file; for each line the texts before and inside each mark.
SHOWN = """() => [...document.querySelectorAll('.file')].map(file => [
    file.querySelector('h2').firstChild.textContent,
    [...file.querySelectorAll('.line')].map(line => {
        const code = line.querySelector('code'), marks = [];
        let before = '';
        for (const node of code.childNodes) {
            if (node.nodeName === 'MARK') marks.push([before, node.textContent]);
            before += node.textContent;
        }
        return [Number(line.firstChild.textContent), line.firstChild.tagName === 'BUTTON', before, marks];
    })])"""

# Contrasts by the colours of an element and its parents.
COLOURS = """
    const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
    const rgb = (colour, below) => {
        canvas.fillStyle = below; canvas.fillRect(0, 0, 1, 1);
        canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1);
        return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
    };
    const light = ([r, g, b]) => {
        const part = v => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
        return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
    };
    const back = element => {
        const below = element.parentElement ? back(element.parentElement) : 'rgb(255, 255, 255)';
        return `rgb(${rgb(getComputedStyle(element).backgroundColor, below).join(', ')})`;
    };
    const contrast = (colour, behind) => {
        const [a, b] = [light(rgb(colour, behind)), light(rgb(behind, behind))].sort((x, y) => y - x);
        return (a + 0.05) / (b + 0.05);
    };
"""
# Returns the contrasts of the colours of source code, in lines with and without the focus. (axe-core checks all else.)
INK_CONTRASTS = (
    "() => {"
    + COLOURS
    + """
    const code = document.querySelector('.line code'), probe = document.querySelector('#theme');
    return [...CSS.highlights.keys()].flatMap(kind => [back(code), back(probe)].map(behind =>
        [kind, behind, contrast(getComputedStyle(code, `::highlight(${kind})`).color, behind)]));
}"""
)


class Served(Server):
    """Starts the server on a free port. If the server has ended too early, reports that first."""

    def __init__(self, *arguments):
        super().__init__([SERVE, "--listen=127.0.0.1:0"], *arguments)
        self.loaded()

    def __exit__(self, kind, *more):
        if kind:
            print(f"the server: status {self.process.poll()}, said {self.messages}", flush=True)
        super().__exit__(kind, *more)


class Browser:
    """Opens pages; every error on a page, including errors of the Content-Security-Policy, is a failure."""

    def __init__(self, chromium):
        self.chromium = chromium
        self.errors = []

    def open(self, url, **options):
        context = self.chromium.new_context(permissions=["clipboard-read", "clipboard-write"], **options)
        page = context.new_page()
        page.set_default_timeout(WAIT_MS)
        page.on("console", lambda message: self.errors.append(message.text))
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.goto(url)
        page.wait_for_selector("#results[aria-busy=false]", state="attached")
        return page


def settle(page):
    page.wait_for_selector("#results[aria-busy=false]", state="attached")
    return page.inner_text("#status")


def ask(page, text):
    """Types a query and returns the status line at the end of the search."""
    page.fill("#q", "")
    settle(page)
    page.type("#q", text)
    return settle(page)


def write(root, tree):
    for name, text in tree.items():
        os.makedirs(os.path.join(root, os.path.dirname(name)), exist_ok=True)
        with open(os.path.join(root, name), "wb") as file:
            file.write(text if isinstance(text, bytes) else text.encode())


def bytes_of(name):
    return TREE[name] if isinstance(TREE[name], bytes) else TREE[name].encode()


# ---- What Python finds


def begins(text, regex):
    """Returns where each occurrence begins, overlapping occurrences included."""
    return [match.start() for match in re.finditer(b"(?=" + regex + b")", text)]


def shown_text(raw):
    text = raw.decode("utf-8", "replace")
    text = re.sub("[\0-\x08\x0b-\x1f]", lambda match: chr(0x2400 + ord(match.group())), text)
    return re.sub(
        "[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]", lambda match: f"[U+{ord(match.group()):04X}]", text
    )


def found(regex, names=None):
    """Returns (occurrences, files, {file: [[number, True, line, marks]]}) for a regex of bytes, without context lines."""
    occurrences, files = 0, {}
    for name in names if names is not None else TREE:
        lines = []
        for number, line in enumerate(bytes_of(name).split(b"\n"), 1):
            marks = [
                [shown_text(line[: match.start()]), shown_text(match.group())] for match in re.finditer(regex, line)
            ]
            occurrences += len(begins(line, regex))
            if marks:
                lines.append([number, True, shown_text(line), marks])
        if lines:
            files[name] = lines
    return occurrences, len(files), files


def counts_of(status):
    match = re.match(r"([\d,]+) occurrences? in ([\d,]+) files?,", status)
    return tuple(int(part.replace(",", "")) for part in match.groups()) if match else status


def shown(page):
    """Returns {file: lines}, and checks that no file is shown twice."""
    files = page.evaluate(SHOWN)
    assert len({name for name, _ in files}) == len(files)
    return dict(files)


def show_all(page):
    """Scrolls until all lines are shown."""
    while "All lines are shown" not in settle(page):
        count = page.locator(".line").count()
        page.evaluate("scrollTo(0, document.body.scrollHeight)")
        page.wait_for_function('count => document.querySelectorAll(".line").length > count', arg=count)


def check(page, what, regex, names=None, without=()):
    """Compares the page's counts and lines with Python's; without: files whose lines are shown in part."""
    occurrences, files, lines = found(regex, names)
    assert counts_of(settle(page)) == (occurrences, files)
    show_all(page)
    got = shown(page)
    for name in without:
        assert (name in got) == (name in lines)
        got.pop(name, None), lines.pop(name, None)
    assert got == lines


# ---- Tests


@pytest.fixture(scope="module")
def chromium():
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield chromium
        chromium.close()


@pytest.fixture(scope="module")
def root(module_folder):
    write(os.path.join(module_folder, "tree"), TREE)
    return os.path.join(module_folder, "tree")


@pytest.fixture(scope="module")
def url(root):
    with Served("--link=edit:{root}/{path}:{line}", root) as server:
        yield server.address + "/"
        assert server.stop() == 0


@pytest.fixture(scope="module")
def browser(chromium):
    browser = Browser(chromium)
    yield browser
    assert [error for error in browser.errors if "status of 4" not in error] == []  # the tests expect these errors


@pytest.fixture(scope="module")
def opened(browser, url):
    page = browser.open(url)
    assert "tree (21 files)" in page.inner_text("#status")
    return page


@pytest.fixture
def page(opened, url):
    """The page in its initial state."""
    opened.goto(url + "#")
    opened.reload()
    settle(opened)
    return opened


def test_typing(page):
    """Checks that each typed letter starts a search, and that no answer to an earlier text stays."""
    for text in ("n", "ne", "need", "needle", "needle_"):
        page.fill("#q", text)
        assert counts_of(settle(page)) == found(text.encode())[:2]
    ask(page, "needle")
    count = sum(len(lines) for lines in shown(page).values())
    assert f"The first {count} lines" in settle(page) and 150 < count <= 200
    check(page, "needle", b"needle", without=["long.txt"])
    assert "All lines are shown: 712." in settle(page)


def test_characters(page):
    """Checks marks and cuts in texts beyond ASCII: the server's offsets count bytes, not characters."""
    for text in ("Größe", "😀", "needle 😀", "ÄÖÜ", "€"):
        ask(page, text)
        check(page, text, re.escape(text.encode()))
    ask(page, "needle ")
    show_all(page)
    assert shown(page)["bytes.txt"] == [
        [1, True, "\ufffd\ufffd needle \ufffd needle\ufffd", [["\ufffd\ufffd ", "needle "]]]
    ]
    ask(page, " needle ü")  # counted in bytes, the visible part would begin and end inside a character
    number, _, text, marks = shown(page)["long.txt"][0]
    assert number == 1
    assert marks[0][1] == " needle ü"
    assert "\ufffd" not in text
    sums = [int(part.replace(",", "")) for part in re.findall(r"([\d,]+) bytes", text)]
    middle = re.fullmatch(r"[\d,]+ bytes before … (.*) … [\d,]+ bytes more", text)
    assert sum(sums) + len(middle.group(1).encode()) == 150009
    page.locator("[name=e]").check()
    ask(page, "(first|second|third)..;")  # each match of a long line is shown with what is around it
    _, _, text, marks = shown(page)["minified.js"][0]
    assert [mark for _, mark in marks] == ["first();", "second();", "third();"]
    assert re.fullmatch(
        "2,667 bytes before … x{333}first[(][)];y{333} … 4,334 bytes … y{333}second[(][)];third[(][)];z{333} … 3,667 bytes more",
        text,
    )
    page.locator("[name=e]").uncheck()
    ask(page, "aa")
    assert counts_of(settle(page)) == (5, 1)


def test_filters(page):
    check_box, fill = page.locator, page.fill
    ask(page, "needle")
    check_box("[name=i]").check()
    check(page, "ignore case", b"(?i:needle)", without=["long.txt"])
    check_box("[name=i]").uncheck()
    check_box("[name=s]").check()
    check(page, "smart case", b"(?i:needle)", without=["long.txt"])
    page.fill("#q", "Needle")
    check(page, "smart case, a capital letter", b"Needle")
    page.fill("#q", "needle")
    check_box("[name=s]").uncheck()
    check_box("[name=i]").check()
    check_box("[name=w]").check()
    check(page, "ignore case, words", rb"(?i:(?<![\w])needle(?![\w]))", without=["long.txt", "bytes.txt"])
    check_box("[name=i]").uncheck()
    check_box("[name=w]").uncheck()
    fill("[name=g]", "*.py !many/**")
    check(page, "globs", b"needle", ["words.py"])
    fill("[name=c]", "1")
    settle(page)
    assert shown(page) == {
        "words.py": [[2, False, "before that", []], [3, True, "needle = 1", [["", "needle"]]], [4, False, "after", []]]
    }
    fill("[name=c]", "0")
    fill("[name=g]", "")
    fill("[name=t]", "py c")
    check(page, "types", b"needle", ["words.py", "words.c", "many/second.c"])
    fill("[name=t]", "")
    fill("[name=g]", "words.c")
    fill("[name=k]", "1")
    check(page, "one mismatch", b"(?:.eedle|n.edle|ne.dle|nee.le|need.e|needl.)", ["words.c"])
    fill("[name=k]", "0")
    fill("[name=g]", "")
    ask(page, "needle is not there")
    assert settle(page).startswith("Nothing found.")
    fill("[name=t]", "notype")
    settle(page)
    assert "notype" in page.inner_text("main")
    fill("[name=t]", "")
    fill("[name=g]", r"a\ b*.txt *.none")
    ask(page, "zebu")
    check(page, "a blank in a glob, and characters that are not shown", b"zebu", ["a blank.txt"])
    fill("[name=g]", "")
    check_box("[name=e]").check()
    told = ask(page, "zeb(")
    assert (told, "zeb(" in page.inner_text("#error")) == ("", True)
    check_box("[name=e]").uncheck()


def test_notes(page):
    """Checks that binary files have a note, and no other file, even after the page has requested more lines. The other
    tests have no binary files."""
    ask(page, "zebra")
    show_all(page)
    notes = page.evaluate(
        "() => [...document.querySelectorAll('.file')].map(file => [file.querySelector('h2').firstChild.textContent, file.querySelector('.note').textContent])"
    )
    note = "binary file: lines after its first zero byte are not shown"
    assert sorted(notes) == sorted([name, note * name.endswith("bin")] for name in TREE if "zoo" in name)
    assert {len(lines) for name, lines in shown(page).items() if name.endswith("txt")} == {150}


def test_collections(chromium, folder):
    """Checks the choice of a collection (one has a name that is not UTF-8), limits of the server, and messages. The other
    tests have a single collection."""
    roots = []
    for i, name in enumerate((b"one", b"\xffn", "<b>\u202e".encode())):
        root = os.path.join(folder, f"collection{i}")
        write(root, {f"f{i}.txt": "zebra\nno\n\nzebra\n" * (1 + i)})
        roots.append(name + b"=" + root.encode())
    os.mkdir(os.path.join(folder, "collection0", "closed"), 0)
    with Served("--max-results=3", *roots) as server:
        server.loaded(3)
        page = chromium.new_page()
        page.goto(server.address + "/")
        assert settle(page) == "Type to search one (1 file), \ufffdn (1 file), <b>[U+202E] (1 file)."
        ask(page, "zebra")
        assert settle(page).startswith("12 occurrences in 3 files,")
        assert [*shown(page)] == ["<b>[U+202E]/f2.txt"]
        for i, name in (0, "one"), (1, "\ufffdn"), (2, "<b>[U+202E]"), (0, "one"), (1, "\ufffdn"):
            page.select_option("[name=in]", name)
            for again in range(2):
                told = settle(page)
                cut = i > 0
                assert told.startswith(f"{2 + 2 * i} occurrences in 1 file,")
                assert (
                    "The first 3 lines are shown, more than the server's limits allow."
                    if cut
                    else "All lines are shown: 2."
                ) in told
                assert ("1 file could not be read." in told) == (i == 0 and ARE_CLOSED)
                assert page.locator("#messages p").count() == int(i == 0 and ARE_CLOSED)
                lines = [
                    [number, True, "zebra", [["", "zebra"]]]
                    for block in range(1 + i)
                    for number in (4 * block + 1, 4 * block + 4)
                ]
                assert shown(page) == {f"f{i}.txt": lines[:3]}
                assert "in=" in page.url
                page.reload()
        page.fill("[name=c]", "1")
        settle(page)
        assert page.locator(".gap").count() == 0
        page.select_option("[name=in]", "one")
        settle(page)
        assert page.locator(".line").count() == 4
        ask(page, "nowhere")
        assert settle(page).endswith(
            "Nothing found. Ignoring case, or mismatches, may find more. So may another collection. All lines are shown: 0."
        ) or "Ignoring case, or mismatches, may find more. So may another collection." in settle(page)
        page.locator("[name=i]").check()
        assert "Fewer filters may find more. So may another collection." in settle(page)
        page.goto(server.address + "/#q=zebra&in=none")
        page.reload()
        settle(page)
        assert page.inner_text("#error") == "there is no collection 'none'"
        page.close()


def test_view(page, url):
    """Checks the lines of a file, their links, and the link to an editor."""
    page.goto(url)
    settle(page)
    ask(page, "needle")
    page.fill("[name=a]", "nothing NEEDLE")
    check(page, "words in the same file", b"needle", ["words.c"])
    page.click('h2 a:text-is("words.c")')
    page.wait_for_selector(".line a")
    settle(page)
    assert [line[2] for line in shown(page)["words.c"]] == bytes_of("words.c").decode().splitlines()
    page.locator(".line a").nth(1).click()
    page.wait_for_selector('.target > a:text-is("2")')
    assert ("l=2" in page.url, page.locator(".target > a").inner_text()) == (True, "2")
    href = page.locator("h2 .open").get_attribute("href")
    assert href.endswith("/words.c:2") and href.startswith("edit:/")
    page.go_back()
    page.go_back()
    check(page, "back from a file", b"needle", ["words.c"])
    page.goto(url + "#q=octothorpe")
    page.reload()
    settle(page)
    assert page.locator("h2 .open").get_attribute("href").endswith("/odd%20%231%3F.txt:1")
    # The first line that is shown is one of context.
    page.goto(url + "#q=after+that&c=1")
    page.reload()
    settle(page)
    assert page.locator("h2 a").first.get_attribute("href") == "#q=after+that&c=1&f=words.py&l=5"
    # A line far down is in sight once all lines are laid out.
    for name, line in ("many/second.c", 781), ("many/second.c", 401), ("many/first.txt", 300), ("long.txt", 1):
        page.goto(url + f"#q=needle&g={name}&l={line}&f={name}")
        page.reload()
        settle(page)
        page.wait_for_function("""() => {
            const { top, bottom } = document.querySelector('.target').getBoundingClientRect();
            return bottom > 0 && top < innerHeight; }""")


def test_names(page, url):
    """Checks files that are found by name."""
    page.goto(url)

    def names(query):
        ask(page, query)
        return page.locator("#named li").all_inner_texts()

    assert names("f:words") == ["words.c", "words.py"]
    for query, wanted in (
        ("file:*.C", []),
        ("path:*.c", ["words.c", "many/second.c"]),
        ("f:MANY", []),
        ("f:Many/", []),
        ("f:many/", ["many/second.c", "many/first.txt"]),
        ("f:t -f:*.txt", []),
        ("f:m?ny/* -f:sec", ["many/first.txt"]),
        ("f:*needle", []),
        ("f:.txt f:a -f:ma", ["aaa.txt", "a blank.txt", "umlaut.txt"]),
        ("f:none", []),
    ):
        assert names(query) == wanted
        assert page.inner_text("#status").startswith(f"{len(wanted)} file" if wanted else "No file has")
        assert page.locator(".file").count() == 0
    for query in "f:*.c needle", "needle path:words.c file:*.c", "-f:many -f:txt needle f:*.c":
        ask(page, query)
        check(page, query, b"needle", ["words.c", "many/second.c"] if query[0] == "f" else ["words.c"])
    ask(page, r"\f:x")
    assert "f:x" in page.inner_text("main") or page.inner_text("#status").startswith("Nothing found.")
    assert names("zoo") == ["zoo/0.bin", "zoo/0.txt", "zoo/1.bin", "5 more"]
    page.click('#named a:text-is("5 more")')
    page.wait_for_function('() => document.querySelectorAll("#named li").length === 8')
    assert page.input_value("#q") == "f:zoo"
    ask(page, "f:words")
    for key, where in ("ArrowDown", "words.c"), ("j", "words.py"), ("k", "words.c"), ("k", "q"):
        page.keyboard.press(key)
        assert focused(page) == where
    page.keyboard.press("Enter")
    page.wait_for_selector(".line a")
    settle(page)
    assert shown(page)["words.c"][2][2] == "needles"
    page.go_back()
    page.wait_for_selector("#named a")


def coloured(page):
    """Returns {kind: set of the texts in its colour}, when there are some."""
    page.wait_for_function("() => [...CSS.highlights.values()].some(ink => ink.size)")
    return {
        kind: set(texts)
        for kind, texts in page.evaluate("""() => [...CSS.highlights].map(([kind, ink]) => [kind,
        [...ink].map(range => range.startContainer.data.slice(range.startOffset, range.endOffset))])""")
    }


def test_colours(page, url):
    """Checks colours of lines and of a file; marks and what is not source code have none."""
    page.goto(url + "#q=needle_399")
    page.reload()
    settle(page)
    assert coloured(page) == {
        "comment": {"/* needle */"},
        "keyword": {"int"},
        "string": set(),
        "number": set(),
        "function": set(),
        "type": set(),
    }
    ask(page, "before that")
    assert page.evaluate("[...CSS.highlights.values()].map(ink => ink.size)") == [0] * 6
    page.goto(url + "#q=x&f=many/second.c")
    page.reload()
    settle(page)
    colours = coloured(page)
    assert (colours["comment"], colours["keyword"]) == ({"/* needle */"}, {"int"})
    show_all(page)
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    page.wait_for_function("""() => { const last = [...document.querySelectorAll('.line code')].at(-2).firstChild;
        return [...CSS.highlights.get('comment')].some(range => range.startContainer === last); }""")
    for name in "long.txt", "zoo/0.bin", "bytes.txt":
        page.goto(url + f"#q=needle&f={name}")
        page.reload()
        settle(page)
        assert page.evaluate("[...CSS.highlights.values()].every(ink => ink.size === 0)")


def test_links(page, browser, url):
    """Checks that the page's address restores the same search, and so do the browser's back and forward."""
    page.goto(url)
    settle(page)
    ask(page, "größe")
    page.wait_for_timeout(1100)  # a search after this time is a new entry of the history
    page.locator("[name=i]").check()
    page.fill("[name=c]", "1")
    settle(page)
    address, lines = page.url, shown(page)
    other = browser.open(address)
    settle(other)
    assert shown(other) == lines
    assert (other.input_value("#q"), other.is_checked("[name=i]"), other.input_value("[name=c]")) == (
        "größe",
        True,
        "1",
    )
    other.context.close()
    page.go_back()
    page.wait_for_function('() => !document.querySelector("[name=i]").checked')
    check(page, "back", "größe".encode())
    assert page.input_value("[name=c]") == "0"
    page.go_forward()
    page.wait_for_function('() => document.querySelector("[name=i]").checked')
    settle(page)
    assert (page.url, shown(page)) == (address, lines)


def focused(page):
    return page.evaluate("document.activeElement.dataset.where ?? document.activeElement.id")


def test_keys(page, url):
    """Uses the page only with the keyboard."""
    page.goto(url + "#g=words.c")
    page.reload()
    settle(page)
    page.evaluate("document.activeElement.blur()")
    keys = page.keyboard
    keys.press("/")
    assert focused(page) == "q"
    keys.type("needle")
    settle(page)
    steps = [
        ("ArrowDown", "words.c:1"),
        ("j", "words.c:3"),
        ("ArrowDown", "words.c:4"),
        ("k", "words.c:3"),
        ("Enter", "words.c:3"),
        ("Tab", None),
        ("Shift+Tab", "words.c:3"),
        ("ArrowUp", "words.c:1"),
        ("k", "q"),
        ("ArrowUp", "q"),
    ]
    for key, where in steps:
        keys.press(key)
        if where:
            assert focused(page) == where
    assert page.evaluate("navigator.clipboard.readText()") == "words.c:3"
    page.wait_for_function('() => document.querySelector("#copied").textContent === "Copied words.c:3"')
    keys.press("j")
    assert page.input_value("#q") == "needlej"
    keys.press("Backspace")
    settle(page)
    keys.press("ArrowDown")
    style = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert style == "solid"
    keys.press("Escape")
    settle(page)
    assert (focused(page), page.input_value("#q"), shown(page)) == ("q", "", {})


def test_markup(page):
    """Checks that the page shows names and lines that look like markup as text."""
    ask(page, "document.title")
    check(page, "markup", rb"document\.title", [EVIL_NAME])
    assert page.locator("#results :is(img, script, b)").count() == 0
    assert page.title() == "document.title – trawl"
    ask(page, "<img src=x onerror=document.title=4>")
    assert page.title() == "<img src=x onerror=document.title=4> – trawl"


def test_aborts(page):
    """Checks that a new search ends the previous one, which then shows nothing."""
    aborted, held = [], []
    page.on("requestfailed", lambda request: aborted.append(request.post_data or ""))
    page.route(
        "**/v1/search", lambda route: held.append(route) if '"before"' in route.request.post_data else route.continue_()
    )
    page.fill("#q", "before")
    page.wait_for_function('() => document.querySelector("#status").textContent.includes("Searching")')
    while not held:
        page.wait_for_timeout(10)
    page.fill("#q", "nexdle")
    check(page, "the query after", b"nexdle")
    # Some requests may come from the earlier test, which typed slowly.
    assert any('"before"' in body and "max_results" in body for body in aborted)
    for route in held:
        try:
            route.continue_()
        except Error:
            pass  # the page has already ended this request
    page.unroute("**/v1/search")
    check(page, "the query after, later", b"nexdle")


def test_change(page, url, root):
    """Checks that the page rebuilds its list, with each line once, if files change while the user scrolls."""
    page.goto(url + "#")
    settle(page)
    ask(page, "needle")
    name, before = "many/first.txt", TREE["many/first.txt"]
    TREE[name] = "a needle came\n" + before
    write(root, {name: TREE[name]})
    show_all(page)
    check(page, "a changed file", b"needle", without=["long.txt"])
    ask(page, "zeb")
    page.route("**/v1/collections", lambda route: route.fulfill(status=404), times=1)
    # the page repeats a request that failed
    page.wait_for_event("response", lambda response: response.status == 404)
    name, before = "aaa.txt", TREE["aaa.txt"]
    write(root, {name: "zebra\n"})  # the page notices this without a typed key
    page.wait_for_function('() => document.querySelector("#results").textContent.includes("aaa.txt")')
    write(root, {name: before})
    page.wait_for_function('() => !document.querySelector("#results").textContent.includes("aaa.txt")')
    # A change elsewhere keeps focus and selection, and a change of a visible file keeps the focus.
    page.goto(url + "#q=needle&g=words.*")
    page.reload()
    settle(page)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.evaluate('getSelection().selectAllChildren(document.querySelector(".line:nth-child(2) code"))')
    state = focused(page), page.evaluate("String(getSelection())")
    for content in "aaab\n", TREE["aaa.txt"]:
        with page.expect_response("**/v1/search"):
            write(root, {"aaa.txt": content})
        settle(page)
        assert (focused(page), page.evaluate("String(getSelection())")) == state
    with page.expect_response("**/v1/search"):
        write(root, {"words.py": TREE["words.py"] + "needle\n"})
    page.wait_for_function('() => document.querySelectorAll("#results .line").length === 6')
    settle(page)
    assert focused(page) == state[0]
    write(root, {"words.py": TREE["words.py"]})
    name, before = "many/first.txt", TREE["many/first.txt"].removeprefix("a needle came\n")
    TREE[name] = before
    write(root, {name: before})


def test_access(browser, url):
    """Checks dark, light and narrow pages: all texts are readable, and all controls have names for screen readers."""
    axe = next(pathlib.Path(axe_playwright_python.__file__).parent.rglob("axe.min.js")).read_text()
    for theme, width in (("dark", 320), ("light", 1000)):
        page = browser.open(
            url + "#q=needle&c=1&i=1",
            color_scheme=theme,
            reduced_motion="reduce",
            viewport={"width": width, "height": 700},
        )
        settle(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        dark = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
        assert (dark == "rgb(255, 255, 255)") == (theme == "light")
        inks = page.evaluate(INK_CONTRASTS)
        assert (len(inks), [one for one in inks if one[2] < 4.5]) == (12, [])
        for address in "", "#q=f:o", "#q=needle&f=many/second.c":
            page.goto(url + address) if address else None
            settle(page)
            page.evaluate(axe)
            found_by_axe = page.evaluate(
                "axe.run().then(result => result.violations.map(one => [one.id, one.nodes.length, one.nodes[0].html]))"
            )
            assert found_by_axe == []
        page.click("#theme")
        page.click("#theme") if theme == "dark" else None
        other = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
        assert not (other == dark)
        page.reload()
        assert page.evaluate("getComputedStyle(document.documentElement).backgroundColor") == other
        page.context.close()


def test_token(chromium, root):
    """Checks the page of a server with a token: it prompts for the token, reports a wrong one, and keeps the token only for
    this tab."""
    token = os.path.join(os.path.dirname(root), "token")
    with open(token, "w", encoding="ascii") as file:
        file.write("a-token-of-this-test\n")
    os.chmod(token, 0o600)
    # The collection skips left-out.txt (--ignore). The page's requests name no directory, so the server skips this
    # file instead of rejecting the request.
    write(root, {".ignore": "left-out.txt\n", "left-out.txt": "nexdle\n"})
    with Served("--ignore", f"--token-file={token}", root) as server:
        page = chromium.new_page()
        page.goto(server.address + "/#q=nexdle")
        page.wait_for_selector("#login:not([hidden])")
        page.fill("#token", "another")
        page.keyboard.press("Enter")
        page.wait_for_function('() => document.querySelector("#error").textContent.includes("not the server")')
        page.fill("#token", "a-token-of-this-test")
        page.keyboard.press("Enter")
        page.wait_for_selector("#login", state="hidden")
        page.wait_for_selector(".line")
        check(page, "with a token", b"nexdle")
        assert not ("a-token" in page.url or page.evaluate("localStorage.length > 1"))
        server.stop()
        page.fill("#q", "needle")
        page.wait_for_function('() => document.querySelector("#error").textContent.includes("does not answer")')
        page.close()


def screenshot(path):
    with sync_playwright() as playwright, Served(str(ROOT / "src")) as server:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = Browser(chromium).open(server.address + "/", viewport={"width": 1090, "height": 640})
        ask(page, "cursor")
        page.fill("[name=c]", "1")
        ask(page, "cursor")
        page.keyboard.press("ArrowDown")
        page.screenshot(path=path)


if __name__ == "__main__":
    screenshot(sys.argv[1])
