"""man: the pages of section 3, in the language of man(7)."""

import re
import textwrap

import header

STANDARD = "#include <trawl.h>"


def escaped(text):
    """Return the text with the characters escaped that roff would change."""
    text = text.replace("\\", "\\e").replace("'", "\\(aq").replace("`", "\\(ga").replace("^", "\\(ha")
    return text.replace("~", "\\(ti")


def code_text(text):
    text = escaped(text).replace("-", "\\-")
    return "\\&" + text if text.startswith(".") else text


def prose(text, own=()):
    """Return a paragraph with the names of functions in bold, followed by (3), or by () if the page
    itself describes the function (`own`); `quoted` names are in bold, too."""

    def replace(match):
        name = match.group(1) or match.group(2)
        if match.group(1):
            return f"\\fB{name}\\fP"
        if name in own:
            return f"\\fB{name}\\fP()"
        return f"\\fB{name}\\fP(3)" if name in prose.functions else f"\\fB{name}\\fP"

    pattern = r"(?:`(\w+)`|\b(trawl_\w+)\b(?:\(\))?)"
    parts, at = [], 0
    for match in re.finditer(pattern, text):
        parts.append(escaped(text[at : match.start()]))
        parts.append(replace(match))
        at = match.end()
    parts.append(escaped(text[at:]))
    return "".join(parts)


prose.functions = frozenset()


def wrapped(text):
    """Return a paragraph's lines: each sentence begins a line, no name is hyphenated, and no line
    begins like a request of roff."""
    lines = []
    text = re.sub(r"(?<!\S)(\S*[_>\[]\S*)", r"\\%\1", text)
    for sentence in re.split(r"(?<=[.:;]) (?=[^ ])", text):
        lines += textwrap.wrap(sentence, 96, break_long_words=False, break_on_hyphens=False)
    return ["\\&" + line if line.startswith(".") else line for line in lines]


def blocks(found, own, is_inside=False):
    lines, before = [], None
    for block in found:
        if block[0] == "text":
            if before == "item" or (before and not is_inside):
                lines.append(".PP")
            elif before:
                lines.append(".IP")
            lines += wrapped(prose(block[1], own))
        elif block[0] == "code":
            lines += [".PP", ".in +4n", ".nf", *map(code_text, block[1]), ".fi", ".in"]
        else:
            lines += [".TP", f".B {block[1]}" if block[1] else ".B \\(bu"]
            inner = blocks(block[2], own, True)
            if any(kind == "item" for kind, *_ in block[2]):
                at = next(i for i, line in enumerate(inner) if line == ".TP")
                inner = inner[:at] + [".RS"] + inner[at:] + [".RE"]
                if at == 0:
                    inner.insert(0, "\\&")
            lines += inner
        before = block[0]
    return lines


def declaration(function):
    """Return the lines of a declaration: filled to 70 columns, in bold, with the parameters'
    names in italics."""
    start = f"{function.result}{'' if function.result.endswith('*') else ' '}{function.name}("
    rows, row = [], start
    parameters = function.parameters or ["void"]
    for number, parameter in enumerate(parameters):
        part = parameter + (");" if number == len(parameters) - 1 else ",")
        if row != start and len(row) + 1 + len(part) > 70:
            rows.append(row)
            row = "    " + part
        else:
            row += ("" if row == start else " ") + part
    rows.append(row)
    names = "|".join(re.search(r"(\w+)$", p).group(1) for p in function.parameters)
    lines = []
    for row in rows:
        row = code_text(row)
        if names:
            row = re.sub(rf"\b({names})(?=[,)])", r"\\fI\1\\fB", row)
        lines.append(f"\\fB{row}\\fP")
    return lines


def type_lines(type_, own):
    lines = [".SS " + type_.title]
    if type_.lines:
        lines += blocks(header.blocks(type_.lines), own)
    if type_.kind == "typedef":
        return lines + [".PP"] * bool(type_.lines) + [".nf", f"\\fB{code_text(type_.members[0][0])};\\fP", ".fi"]
    for name, comment in type_.members:
        lines += [".TP", f'.B "{code_text(name)}"']
        lines += wrapped(prose(header.words_of(comment), own)) or ["\\&"]
    if type_.initializer:
        lines += [".PP", f"\\fB{type_.initializer}\\fP sets the size, and all else to its default."]
    return lines


def top(name, api):
    return [
        '.\\" Made from the public headers by scripts/api.',
        f'.TH {name} 3 "" "trawl {api.version}" "trawl library"',
    ]


def function_page(api, page):
    own = tuple(function.name for function in page.functions)
    lines = top(page.name, api)
    lines += [".SH NAME", ", ".join(own) + " \\- " + escaped(page.summary)]
    lines += [".SH LIBRARY", "trawl library (libtrawl, \\-ltrawl)", ".SH SYNOPSIS", ".nf"]
    lines += [f'.B "#include <{page.file}>"']
    for function in page.functions:
        lines += [".PP", *declaration(function)]
    lines += [".fi", ".SH DESCRIPTION", *blocks(header.blocks(page.lines), own)]
    if page.section.lines:
        lines += [f".SH {page.section.title.upper()}", *blocks(header.blocks(page.section.lines), own)]
    types = api.types_of(page)
    if types:
        lines.append(".SH TYPES")
        for type_ in types:
            lines += type_lines(type_, own)
    others = [other.name for other in page.section.pages if other is not page]
    lines += [".SH SEE ALSO"]
    lines += [f".BR {name} (3)," for name in others] + [".BR libtrawl (3),", ".BR trawl (1)"]
    return lines


def overview_page(api):
    lines = top("libtrawl", api)
    lines += [".SH NAME", f"libtrawl \\- {escaped(api.summary)}", ".SH LIBRARY"]
    lines += ["trawl library (libtrawl, \\-ltrawl)", ".SH SYNOPSIS", ".nf", f'.B "{STANDARD}"', ".PP"]
    lines += ['.B "cc program.c $(pkg\\-config \\-\\-cflags \\-\\-libs trawl)"', ".fi"]
    lines += [".SH DESCRIPTION", *blocks(header.blocks(api.lines[1:]), ())]
    lines.append(".SH FUNCTIONS")
    for section in api.sections:
        if not section.pages:
            continue
        lines.append(f".SS {section.title}")
        for page in section.pages:
            names = ' ", " '.join(f"{function.name} (3)" for function in page.functions)
            names = names.replace(' (3) ", " ', ' "(3), " ')
            lines += [".TP", f".BR {names}", escaped(page.summary)]
    lines.append(".SH STATUS AND ERROR")
    for name in ("trawl_status", "trawl_error"):
        lines += type_lines(api.types[name], ())
    lines += [".SH SEE ALSO", ".BR trawl (1)"]
    return lines


def pages(api):
    """Return {file name: text}."""
    prose.functions = frozenset(function.name for function in api.functions)
    found = {"libtrawl.3": overview_page(api)}
    for page in api.pages:
        found[f"{page.name}.3"] = function_page(api, page)
    return {name: "\n".join(lines) + "\n" for name, lines in found.items()}
