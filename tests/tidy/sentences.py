#!/usr/bin/env python3
"""sentences: how often comments and documents point to a noun that stands elsewhere.

A reader who meets "it" or "those" has to look for the noun, which often stands in a different
sentence. The check `prose` counts these words in each room. A sentence has WORDS_MIN words or more.
Run alone, this file prints the figure of each room of the tree in the working directory.
"""

import os
import re

import c_source

LIMIT = 2.2  # such words in 100 words; the sources of zstd, re2, redis and ripgrep have 1.5 to 2.0
WORDS_MIN = 5
SHOWN = 5
POINTERS = frozenset(
    'it its itself they them their one ones another others none those such '
    'former latter whose whom'.split()
)
# {room: limit} for rooms above LIMIT. A limit is lowered when the room's figure falls, and in the end removed.
EXCEPTIONS = {}
EXCEPTION_STEP = 0.5  # a limit that is higher than the room's figure by this much has to be lowered

CODE_SUFFIXES = ('.c', '.h', '.cc', '.cpp', '.cu', '.cuh')
SCRIPT_SUFFIXES = ('.py', '.pyx', '.pxd', '.pxi')
ROOMS = ('src/', 'tools/')  # each folder directly below these folders is a room


def room_of(path):
    """Return the room that the file belongs to, or None."""
    if path.endswith('.md'):
        return None if path.startswith('tests/') else 'documents'
    folders = path.split('/')[:-1]
    if path.startswith(ROOMS) and len(folders) > 1:
        return '/'.join(folders[:2])
    return folders[0] if folders[:1] in (['gallery'], ['python'], ['include']) else None


def blanked(pattern, text):
    """Return the text with all matches of the pattern blanked; line numbers stay."""
    return re.sub(pattern, lambda match: c_source.blank(match.group()), text, flags=re.S | re.M)


def comments(path, text):
    """Yield (line, text) of each comment, or of the whole document."""
    if path.endswith('.md'):
        text = blanked(r'^```.*?^```|^\s*\|[^\n]*$|^#[^\n]*$|<!--.*?-->|`[^`\n]*`', text)
        yield 1, blanked(r'(?<=\])\([^)]*\)', text)
        return
    if path.endswith(SCRIPT_SUFFIXES):
        pattern = r'(?:^[ \t]*#[^\n]*\n)+|""".*?"""'
        found = re.finditer(pattern, text, re.S | re.M)
    else:
        found = re.finditer(r'(?:[ \t]*//[^\n]*\n)+|' + c_source.TOKEN.pattern, text, re.S)
    for match in found:
        comment = match.group()
        if comment.lstrip()[:2] in ('//', '/*', '""') or comment.lstrip()[:1] == '#':
            line = text.count('\n', 0, match.start()) + 1
            yield line, re.sub(r'^\s*(?:\*|//|#)', ' ', comment, flags=re.M)


def split(line, text):
    """Yield (line, words) of each sentence."""
    begin = 0
    for end in [*re.finditer(r'[.:;!?](?=\s+[A-Z"`(\[])|\n\s*\n|\n\s*[-*] ', text), None]:
        part = text[begin : end.end() if end else len(text)]
        words = re.findall(r"[A-Za-z][A-Za-z'_]*", part)
        if len(words) >= WORDS_MIN:
            start = begin + len(part) - len(part.lstrip())
            yield line + text.count('\n', 0, start), words
        begin = end.end() if end else begin


def count(tree):
    """Return {room: (words, pointers, [(pointers of the sentence, path, line, words)])}."""
    rooms = {}
    for path in tree.files((*CODE_SUFFIXES, *SCRIPT_SUFFIXES, '.md')):
        room = room_of(path)
        if room is None:
            continue
        total, pointers, worst = rooms.get(room, (0, 0, []))
        for comment_line, text in comments(path, tree.read(path)):
            for line, words in split(comment_line, text):
                found = sum(word.lower() in POINTERS for word in words)
                total, pointers = total + len(words), pointers + found
                if found > 0:
                    worst.append((found, path, line, words))
        rooms[room] = total, pointers, worst
    return rooms


def prose(tree):
    """Check that few words of comments and documents point to a noun that stands elsewhere."""
    for room, (total, pointers, worst) in sorted(count(tree).items()):
        rate = 100 * pointers / max(total, 1)
        limit = EXCEPTIONS.get(room, LIMIT)
        if room in EXCEPTIONS and rate <= max(LIMIT, limit - EXCEPTION_STEP):
            yield 'tests/tidy/sentences.py', 1, f'lower or remove {room}, which is at {rate:.2f}'
        if rate <= limit:
            continue
        message = f'{rate:.2f} of 100 words point elsewhere (it, those, one, such ...)'
        yield room, 1, f'{message}, at most {limit}'
        worst.sort(key=lambda row: (-row[0] / len(row[3]), row[1:]))
        for _, path, line, words in worst[:SHOWN]:
            yield path, line, 'name the noun: ' + ' '.join(words)


if __name__ == '__main__':
    from tree import Tree

    for name, (total, pointers, _) in sorted(count(Tree(os.getcwd())).items()):
        print(f'{name:16} {100 * pointers / max(total, 1):5.2f} of {total} words')
