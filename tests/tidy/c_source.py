"""c_source: finds comments, strings, functions and includes in C, for the checks."""

import re

INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)')
TOKEN = re.compile(
    r"//(?:[^\n\\]|\\.|\\\n)*"  # line comment
    r"|/\*.*?(?:\*/|\Z)"  # block comment
    r'|"(?:[^"\\\n]|\\.|\\\n)*"'  # string
    r"|'(?:[^'\\\n]|\\.|\\\n)*'",  # character
    re.DOTALL,
)


def blank(text):
    """Return the text with each character replaced with a space, except line ends."""
    return re.sub(r"[^\n]", " ", text)


def without_strings(text):
    """Return the text with the contents of string and character literals blanked; comments stay."""

    def replace(match):
        token = match.group()
        return token if token[0] == "/" else token[0] + blank(token[1:-1]) + token[-1]

    return TOKEN.sub(replace, text)


def code_only(text):
    """Return the text with comments and the contents of literals blanked."""

    def replace(match):
        token = match.group()
        return blank(token) if token[0] == "/" else token[0] + blank(token[1:-1]) + token[-1]

    return TOKEN.sub(replace, text)


def includes(text):
    """Yield (line, name, is_system) for each #include."""
    comments_gone = TOKEN.sub(lambda match: blank(match.group()) if match.group()[0] == "/" else match.group(), text)
    for number, line in enumerate(comments_gone.split("\n"), 1):
        match = INCLUDE.match(line)
        if match:
            yield number, match.group(1) or match.group(2), match.group(1) is None


def macros(text):
    """Yield (first line, last line, name) of each #define."""
    lines = code_only(text).split("\n")
    number = 0
    while number < len(lines):
        begin = number
        match = re.match(r"^\s*#\s*define\s+(\w+)", lines[number])
        while lines[number].endswith("\\") and number + 1 < len(lines):
            number += 1
        if match:
            yield begin + 1, number + 1, match.group(1)
        number += 1


def without_directives(code):
    """Return the text with preprocessor lines and their continuations blanked."""
    result = []
    inside = False
    for line in code.split("\n"):
        directive = inside or line.lstrip().startswith("#")
        inside = directive and line.endswith("\\")
        result.append("" if directive else line)
    return "\n".join(result)


def functions(text):
    """Yield (first line of the signature, line of the closing brace, name) of each function. A
    brace at depth 0 after a closing parenthesis opens a function. A closing brace in column 0
    closes every open block, so branches of #if that open a brace twice affect at most one function."""
    code = without_directives(code_only(text))
    depth = 0
    line = 1
    column = 0
    head = ""  # the text at depth 0 since the last ; or }
    head_line = 1
    opened = None
    for character in code:
        column += 1
        if character == "\n":
            line += 1
            column = 0
        if depth == 0:
            if character == "{" and re.search(r'extern\s+"\s*"?\s*$', head):
                head = ""
                continue
            if character == "{":
                name = re.search(r"(\w+)\s*\(", head)
                opened = (head_line, name.group(1)) if head.rstrip().endswith(")") and name else None
                depth = 1
                continue
            if character in ";}":
                head = ""
                continue
            if not head.strip():
                head_line = line
            head += character
            continue
        if character == "{":
            depth += 1
        elif character == "}":
            depth = 0 if column == 1 else depth - 1
            if depth == 0:
                if opened:
                    yield opened[0], line, opened[1]
                opened = None
                head = ""
