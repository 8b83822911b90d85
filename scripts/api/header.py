"""header: the public headers as data: sections, pages of functions, types, and comments as blocks.

A page is a comment and the functions that follow it without a blank line. These rules shape what
generate.py writes:
  - The first sentence of a page's comment, up to ". ", ": " or "; ", says what the function does.
  - `Errors: ...` (or Shape, Ownership, Threads, Cost, Memory) begins a paragraph of its own.
  - `WORD  text` (with two spaces) begins an item of a list, and so does `- text`.
  - Lines indented by four or more after a blank line are code.
"""

import os
import re

FILES = ("trawl.h", "trawl_records.h", "trawl_stream.h")
LABELS = ("Shape", "Ownership", "Errors", "Threads", "Cost", "Memory")
LABEL = re.compile(rf"^({'|'.join(LABELS)})(: | {{2,}})(\S.*)$")
ITEM = re.compile(r"^( *)([A-Za-z_]+) {2,}(\S.*)$")
BULLET = re.compile(r"^( *)- (\S.*)$")
TOKEN = re.compile(r"/\*.*?\*/|\n[ \t]*\n|#[^\n]*(?:(?<=\\)\n[^\n]*)*|[^\s]+|\s", re.DOTALL)


class Section:
    def __init__(self, title, lines):
        self.title, self.lines, self.pages, self.types = title, lines, [], []


class Function:
    def __init__(self, text):
        text = re.sub(r"\s+", " ", text)
        match = re.match(r"(.*?)(\btrawl_\w+) ?\((.*)\);$", text)
        result = match.group(1).replace("TRAWL_CALL", "enum trawl_status")
        self.result = re.sub(r"\bTRAWL_API\b ?", "", result).strip()
        self.name = match.group(2)
        parameters = match.group(3)
        self.parameters = [] if parameters == "void" else [p.strip() for p in parameters.split(",")]


class Page:
    def __init__(self, lines, file):
        self.lines, self.functions, self.section, self.file = lines, [], None, file

    @property
    def name(self):
        return self.functions[0].name

    @property
    def summary(self):
        return first_sentence(self.lines)


class Type:
    """A struct, an enum or a function type whose members callers see."""

    def __init__(self, kind, name, lines):
        self.kind, self.name, self.lines = kind, name, lines
        self.members = []  # pairs (declaration, lines of its comment)
        self.initializer = None
        self.text = ""

    @property
    def title(self):
        return self.name if self.kind == "typedef" else f"{self.kind} {self.name}"


class Api:
    def __init__(self):
        self.version, self.lines, self.sections = "", [], []
        self.types = {}

    @property
    def summary(self):
        """Return the headers' first line, `trawl: ...`, without the name."""
        return self.lines[0].split(": ", 1)[1].rstrip(".")

    @property
    def pages(self):
        return [page for section in self.sections for page in section.pages]

    @property
    def functions(self):
        return [function for page in self.pages for function in page.functions]

    def types_of(self, page):
        """Return the types that a reader of the page meets, in the order of the headers, except trawl_error and
        trawl_status, which libtrawl(3) describes."""
        texts = [" ".join(page.lines)]
        texts += [" ".join([f.result, *f.parameters]) for f in page.functions]
        found = set()
        while texts:
            text = texts.pop()
            for name, type_ in self.types.items():
                if name in found or name in ("trawl_error", "trawl_status"):
                    continue
                if re.search(rf"\b{re.escape(type_.title)}\b", text):
                    found.add(name)
                    texts.append(type_.text)
        return [type_ for name, type_ in self.types.items() if name in found]


def comment_lines(token):
    """Return the lines of a comment, without its frame."""
    lines = token[2:-2].rstrip().split("\n")
    lines = [lines[0].strip()] + [re.sub(r"^\s*\*? ?", "", line).rstrip() for line in lines[1:]]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def first_sentence(lines):
    text = " ".join(line.strip() for line in lines)
    text = re.split(r"[.:;](?:\s|$)", text, maxsplit=1)[0].strip()
    first = text.split(" ")[0]
    text = text.replace("`", "")
    return text if first.isupper() and len(first) > 1 else text[:1].lower() + text[1:]


def words_of(lines):
    return " ".join(" ".join(lines).split())


def blocks(lines):
    """Return a comment's blocks: ('text', words), ('code', lines) or ('item', label, blocks);
    label None: `- text`."""
    result, number = [], 0
    while number < len(lines):
        line = lines[number]
        if not line.strip():
            number += 1
            continue
        indent = len(line) - len(line.lstrip())
        label, item, bullet = LABEL.match(line), ITEM.match(line), BULLET.match(line)
        if label:
            end = number + 1
            while end < len(lines) and lines[end].strip() and not LABEL.match(lines[end]):
                end += 1
            width = label.start(3)
            inner = [label.group(3)] + [
                text[width:] if not text[:width].strip() else text for text in lines[number + 1 : end]
            ]
            result.append(("item", label.group(1), blocks(inner)))
        elif item or bullet:
            end = number + 1
            inside = indent + 1
            while end < len(lines) and len(lines[end]) - len(lines[end].lstrip()) >= inside:
                end += 1
            text = [item.group(3) if item else bullet.group(2), *lines[number + 1 : end]]
            result.append(("item", item.group(2) if item else None, [("text", words_of(text))]))
        elif indent >= 4 and (number == 0 or not lines[number - 1].strip()):
            end = number
            while end < len(lines) and (lines[end].startswith("    ") or not lines[end].strip()):
                end += 1
            code = [text[4:] for text in lines[number:end]]
            while not code[-1].strip():
                code.pop()
            result.append(("code", code))
        else:
            end = number + 1
            while (
                end < len(lines)
                and lines[end].strip()
                and not LABEL.match(lines[end])
                and not ITEM.match(lines[end])
                and not BULLET.match(lines[end])
            ):
                end += 1
            result.append(("text", words_of(lines[number:end])))
        number = end
    return result


def members_of(body, separator):
    """Return [(declaration, comment)] of a struct's or an enum's body."""
    members, before = [], []
    code, is_behind = "", False
    for token in TOKEN.findall(body):
        if token.startswith("/*"):
            if is_behind and members:
                declaration, comment = members[-1]
                members[-1] = (declaration, [*comment, *comment_lines(token)])
            else:
                before = comment_lines(token)
            continue
        if "\n" in token:
            is_behind = False
        code += token if token.strip() else " "
        if code.rstrip().endswith(separator) and code.count("(") == code.count(")"):
            members.append((" ".join(code.strip()[:-1].split()), before))
            code, before, is_behind = "", [], True
    if code.strip():
        members.append((" ".join(code.split()), before))
    return members


def items_of(text):
    """Yield a header's parts: ('comment', lines), ('blank', None), ('macro', text) or ('code',
    text)."""
    code, depth = "", 0
    at = 0
    while at < len(text):
        token = TOKEN.match(text, at).group()
        at += len(token)
        if depth == 0 and not code.strip():
            code = ""
            if token.startswith("/*"):
                yield "comment", comment_lines(token)
                continue
            if token.startswith("#"):
                yield "macro", token
                continue
            if token.count("\n") > 1:
                yield "blank", None
                continue
        code += token
        if not token.startswith("/*"):
            depth += token.count("{") - token.count("}")
            if depth == 0 and token.endswith(";"):
                yield "code", code.strip()
                code = ""


def lists_of(text):
    """Return the lists of X macros: {'TRAWL_METHOD_LIST': [(name, number, text)]}."""
    found = {}
    for name, body in re.findall(r"#define (TRAWL_\w+_LIST)\(X\)((?:.*\\\n)+.*)", text):
        found[name] = re.findall(r'X\((\w+), (\d+), "([^"]*)"\)', body)
    return found


def type_of(text, lines, lists):
    """Return the Type that a piece of code defines, or None."""
    typedef = re.match(r"typedef .*?\(\*(trawl_\w+)\)", text)
    if typedef:
        result = Type("typedef", typedef.group(1), lines)
        result.members = [(" ".join(text.rstrip(";").split()), [])]
    else:
        match = re.match(r"(struct|enum) (trawl_\w+)\s*\{(.*)\};$", text, re.DOTALL)
        if not match:
            return None
        result = Type(match.group(1), match.group(2), lines)
        expanded = re.search(r"#define \w+\(.*?\) (TRAWL_\w*?)##name.*\n\s*(TRAWL_\w+_LIST)\(", text)
        if expanded:
            for name, number, words in lists[expanded.group(2)]:
                result.members.append((f"{expanded.group(1)}{name} = {number}", [words]))
        else:
            result.members = members_of(match.group(3), ";" if match.group(1) == "struct" else ",")
    result.text = text + " " + " ".join(lines)
    return result


def read(folder):
    """Return the headers of a folder as an Api."""
    api = Api()
    for name in FILES:
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            read_header(api, name, file.read())
    return api


def read_header(api, name, text):
    text = re.sub(r"#ifdef __cplusplus\n.*?#endif\n", "", text, flags=re.DOTALL)
    lists = lists_of(text)
    section, page, lines, is_first = None, None, [], True
    version = re.search(r'#define TRAWL_VERSION "([^"]+)"', text)
    if version:
        api.version = version.group(1)
    for kind, item in items_of(text):
        if kind == "comment" and is_first:
            api.lines = api.lines or item
            is_first = False
        elif kind == "comment" and item[0].startswith("---- "):
            title, _, text = item[0].strip("- ").partition(": ")
            section = Section(title, [text[:1].upper() + text[1:]] if text else item[1:])
            api.sections.append(section)
            page, lines = None, []
        elif kind in ("comment", "blank"):
            lines, page = item or [], None
        elif kind == "macro":
            initializer = re.match(r"#define (\w+_INIT)\b.*?sizeof\(struct (\w+)\)", item, re.DOTALL)
            if initializer:
                api.types[initializer.group(2)].initializer = initializer.group(1)
        elif item.startswith(("TRAWL_API", "TRAWL_CALL")):
            if page is None:
                page = Page(lines, name)
                page.section = section
                section.pages.append(page)
            page.functions.append(Function(item))
        else:
            type_ = type_of(item, lines, lists)
            if type_:
                api.types[type_.name] = type_
                section.types.append(type_)
            lines, page = [], None
