"""The model of the printer: what the command should print of a case of test_layout.py, as text and with --json."""

import base64
import collections
import json
import os
import re
import sys

SUMS = ["count-matches", "positions", "count-by-pattern"]  # reports of single occurrences
CHARACTERS = re.compile(
    rb"[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}|\xed[\x80-\x9f][\x80-\xbf]"
    rb"|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2}|[\x00-\xff]", re.S)  # fmt: skip


def excerpts(line, spans, around, alone):
    """Return (begin, end, numbers of the spans inside) of each excerpt of the line that --around prints."""
    made = []
    for number, (begin, end) in enumerate(spans):
        low = begin - len(b"".join(CHARACTERS.findall(line[:begin])[::-1][: around[0]]))
        high = end + len(b"".join(CHARACTERS.findall(line[end:])[: around[1]]))
        if made and not alone and (low < made[-1][1] or begin < made[-1][1]):
            made[-1] = made[-1][0], max(high, made[-1][1]), [*made[-1][2], number]
        else:
            made.append((low, high, [number]))
    return made


class Printer:
    """The model of the printer, which writes what the command should print. groups: whether a line of some file was
    selected or printed."""

    def __init__(self, case, names):
        self.case, self.names, self.out, self.groups, self.selected, self.lines = case, names, b"", False, 0, []
        self.each = collections.Counter()

    def field(self, number, key, selected, end=b""):
        return self.case.paint(b"%*d" % (self.width, number), key) + end + self.end_field(selected)

    def end_field(self, selected):
        given = self.case.fields[selected]
        return self.case.paint(given if given is not None else b":" if selected else b"-", "se")

    def name(self, linked=False):
        begin, end = (b"", b"") if linked else self.link(0, 0)
        return self.case.paint(begin + self.path.replace(b"/", self.case.slash) + end, "fn")

    def link(self, line, column):
        """Return the sequences that begin and end a link to a line of the file."""
        path = os.path.join(self.folder, self.path)
        if not self.case.link or not os.path.exists(path):  # standard input
            return b"", b""
        place = re.sub(rb"[^\w/:.~\x80-\xff-]", lambda one: b"%%%02X" % ord(one[0]), os.path.realpath(path))
        url = self.case.link.replace("{line}", str(max(line, 1))).replace("{column}", str(max(column, 1)))
        return b"\33]8;;%s\33\\" % url.encode().replace(b"{path}", place), b"\33]8;;\33\\"

    def head(self, number, column, offset, content, selected, numbers, distance):
        case, out = self.case, b""
        if case.heading and not self.headed:
            self.headed = True
            self.out += case.end if self.groups else b""
            if self.names:
                self.out += self.name() + (b"\0" if "Z" in case.on else case.end)
        named = self.names and not case.heading
        begin, end = self.link(number, column) if named or self.names and "{line}" in case.link else (b"", b"")
        column = column if case.column else 0
        has_offset = "b" in case.on
        out += begin + (self.name(True) if named else b"") + end * (not number and not column and not has_offset)
        if named:
            out += b"\0" if "Z" in case.on else self.end_field(selected)
        if number:
            out += self.field(number, "ln", selected, end * (not column and not has_offset))
        if column:
            out += self.field(column, "", selected, end * (not has_offset))
        if has_offset:
            out += self.field(offset, "bn", selected, end)
        plain = case.paint(b":" if selected else b"-", "se")
        if "pattern-number" in case.on:
            out += case.paint(b",", "se").join(case.paint(b"%d" % n, "ln") for n in numbers) + plain
        if case.distance:
            out += (case.paint(b"%d" % distance, "ln") if distance is not None else b"") + self.end_field(selected)
        self.out += out + (b"\t" if out not in (b"", begin + end) and content and "T" in case.on else b"")

    def marked(self, text, end, spans, begin, stop, selected, is_match):
        """Return text[begin:stop] with marked spans, and the line end where stop is beyond the text."""
        case, out = self.case, b""
        line = "" if not case.styled and is_match else "sl" if selected != case.reverse else "cx"
        key, at, content = "ms" if selected else "mc", begin, min(stop, len(text))
        for first, last in spans if case.colors.get(key) else ():
            first, last = max(first, at), min(last, content)
            if first >= last:
                continue
            if first > at or not case.styled:
                out += case.paint(text[at:first], line, closed=case.styled)
            out += case.paint(text[first:last], key)
            at = last
        rest = text[at:content]
        bare = rest[:-1] if rest.endswith(b"\r") else rest
        out += (case.paint(bare, line) if bare else b"") + rest[len(bare) :]
        return out + (case.end if stop > len(text) else b"")

    def piece(
        self,
        text,
        end,
        spans,
        all_spans,
        offset,
        number,
        column,
        selected,
        is_match=False,
        match_count=0,
        numbers=(),
        distance=None,
    ):
        case = self.case
        self.head(number, column, offset, len(text), selected, numbers, distance)
        blanks = b" \t\n\v\f" + (b"" if "crlf" in case.on else b"\r")
        begin = len(text) - len(text.lstrip(blanks)) if "trim" in case.on else 0
        marked = spans and case.colors.get("ms" if selected else "mc")
        if not case.columns or len(text) + len(end) - (0 if marked else begin) <= case.columns:
            self.out += self.marked(text, end, spans, begin, len(text) + len(end), selected, is_match) + (
                b"" if end else b"\r\n" if case.tg and "crlf" in case.on else case.end
            )
            return
        if "max-columns-preview" in case.on:
            whole = text + (end if case.vimgrep else b"")
            decoded = (whole[at:].decode("utf-8", "surrogateescape")[: case.columns] for at in (begin, 0))
            stop, counted = (len(text.encode("utf-8", "surrogateescape")) for text in decoded)
            stop += begin
            if begin < min(stop, len(text)):
                self.out += self.marked(text, b"", spans, begin, min(stop, len(text)), selected, is_match)
            # also counts a match at the end that was replaced with nothing
            more = sum((stop if marked else counted) <= first < len(text + end) for first, _ in all_spans)
            note = " [... %d more match%s]" % (more, "" if more == 1 else "es")
            note = note if spans else " [... omitted end of long line]"
        elif match_count and not is_match:
            note = "[Omitted long line with %d matches]" % match_count
        else:
            note = "[Omitted long matching line]" if selected else "[Omitted long context line]"
        self.out += note.encode() + case.end

    def line(self, content, end, offset, number, selected):
        case = self.case
        found = case.spans(content)[1]
        if case.report == "json":
            found = found if selected or "v" in case.on else []
            spans = [(content[b:e], new, b, e, min(numbers.values(), default=0)) for b, e, new, numbers in found]
            bare = content[:-1] if "crlf" in case.on and content.endswith(b"\r") else content
            parts = excerpts(bare, [span[2:4] for span in spans], case.around, False) if case.around else ()
            parts = [(data(content[b:e]), b, e) for b, e, _ in parts]
            self.lines.append((selected, content + end, number if case.number else None, offset, spans, parts))
            return
        number = number if case.number else 0
        matching = selected != ("v" in case.on)
        found = found if matching and case.each else []
        text, spans = case.rewritten(content, found)
        least = lambda *places: min((distance for numbers in places for distance in numbers.values()), default=None)
        more = {"selected": selected}
        near = [numbers for *_, numbers in case.spans(content)[1]] if case.most() else case.places(content).values()
        distance = least(*near) if matching and case.distance else None
        whole = {**more, "match_count": len(spans), "distance": distance}
        if case.around and case.only and (matching or "passthru" not in case.on):
            bare = text[:-1] if "crlf" in case.on and text.endswith(b"\r") else text
            for low, high, inside in excerpts(bare, spans, case.around, "vimgrep" in case.on):
                own, first = [(spans[i][0] - low, spans[i][1] - low) for i in inside], spans[inside[0]][0]
                numbers = sorted({number for i in inside for number in found[i][3]})
                where = offset + first, number, first + 1
                more["distance"] = least(*(found[i][3] for i in inside))
                self.piece(bare[low:high], b"", own, own, *where, numbers=numbers, match_count=len(own), **more)
        elif case.only and (matching or "passthru" not in case.on):
            for (begin, stop), (_, _, _, numbers) in zip(spans, found):
                alone, where = (text[begin:stop], b"", [(0, stop - begin)], spans), (offset + begin, number, begin + 1)
                each = case.errors and "overlapping" in case.on
                for which in numbers if "pattern-number" in case.on or each else [0]:
                    more["distance"] = numbers[which] if each else least(numbers)
                    self.piece(*alone, *where, is_match=True, numbers=[which], **more)
        elif case.vimgrep and spans:
            for span, (*_, numbers) in zip(spans, found):
                whole["distance"] = least(numbers)
                own = spans if "max-columns-preview" in case.on and not case.colors.get("ms") else [span]
                self.piece(text, end, own, own, offset + span[0], number, span[0] + 1, **whole)
        else:
            numbers = case.numbers_in(content) if selected else ()
            column = spans[0][0] + 1 if spans else 0
            self.piece(text, end, spans, spans, offset, number, column, numbers=numbers, **whole)

    def report(self, path, text, width):
        """Report on a file. Return how many lines, or with --count-matches occurrences, were selected."""
        case = self.case
        self.path, self.width, self.headed, self.lines, self.null = path, width, False, [], None
        lines, offset = [], 0
        binary = b"\0" in text and not case.on & {"a", "z"}
        # In a binary text, NUL ends a line, too; but not with --hex, whose strings may contain NUL.
        parts = (text.replace(b"\0", b"\n") if binary and case.form != "--hex" else text).split(case.end)
        parts = [text] if any(case.end in string for string in case.strings) else parts  # an occurrence may cross lines
        for content in parts:
            end = case.end if offset + len(content) < len(text) else b""
            if content or end:
                lines.append((content, end, offset))
            offset += len(content) + 1
        is_left_out = not case.lets_in([content for content, _, _ in lines])
        left = sys.maxsize if case.limit is None else case.limit
        found = (
            [(at + span[0], span[3]) for content, _, at in lines for span in case.spans(content)[1]]
            if case.report in SUMS and not is_left_out
            else []
        )
        colon = b":" if case.report in SUMS[1:] else case.paint(b":", "se")
        name = self.name() + (b"\0" if "Z" in case.on else colon) if self.names else b""
        if case.report == "count-matches":
            count = min(left, len(found))
        elif case.report in SUMS:
            count = sum(len(numbers) if case.errors else 1 for _, numbers in found)
            rows = (
                [begin, *[number] * ("pattern-number" in case.on), *[numbers.get(number)] * case.distance]
                for begin, numbers in (found if case.report == "positions" else ())
                for number in (
                    numbers if "pattern-number" in case.on else [*numbers][: case.most()] if case.errors else [0]
                )
            )
            self.out += b"".join(name + b":".join(b"%d" % one for one in row) + b"\n" for row in rows)
            each = collections.Counter(number for _, numbers in found for number in numbers)
            self.each += each
            for number in sorted(each) if case.report == "count-by-pattern" and case.names else ():
                self.out += name + b"%d:%d:%s\n" % (number, each[number], case.shown(number))
        elif binary and "I" in case.on or is_left_out:
            count = 0
        else:
            count = self.walk(lines, left, binary)
            self.null = text.index(b"\0") if count and binary and case.report == "json" else None
            self.searched = min([self.searched, *[text.index(b"\0") for _ in range(binary and b"\0" in text)]])
        if case.report in ("c", "count-matches"):
            self.out += name + b"%d\n" % count
        if case.report == "lL"[count == 0]:
            self.out += self.name() + (b"\0" if "Z" in case.on else b"\n")
        self.selected += count
        return count

    def walk(self, lines, left, binary):
        """Select and print lines. Return how many lines were selected."""
        case, count, printed, pending = self.case, 0, None, 0
        quiet = binary or case.report not in ("lines", "json")
        self.searched = sum(len(content) + len(end) for content, end, _ in lines)
        for index, (content, end, offset) in enumerate(lines):
            selected = count < left and case.spans(content)[0] != ("v" in case.on)
            if selected:
                count += 1
                # the search ends at this line only if the text has enough lines of context after it; otherwise it reads
                # to the end
                if count == left and index + case.after < len(lines):
                    self.searched = offset + len(content) + len(end)
            if quiet:
                if selected and case.report == "lines":
                    self.out += b"trawl: %s: binary file matches\n" % self.path
                    self.groups = True
                if selected and case.report != "c":
                    break
            elif selected:
                first = max(0 if printed is None else printed, index - max(case.before, 0))
                separates = case.separator is not None and max(case.before, case.after) >= case.tg
                is_headed = not case.heading or self.headed
                if (printed is None or printed != first) and self.groups and separates and is_headed:
                    self.out += case.paint(case.separator, "se") + b"\n"
                for at in range(first, index):
                    self.line(*lines[at], at + 1, False)
                self.line(content, end, offset, index + 1, True)
                printed, pending, self.groups = index + 1, max(case.after, 0), True
            elif pending > 0 or "passthru" in case.on and count < left:
                self.line(content, end, offset, index + 1, False)
                printed, pending = index + 1, max(pending - 1, 0)
                self.groups = self.groups or "passthru" in case.on
        return count


def data(text):
    try:
        return {"text": text.decode()}
    except UnicodeDecodeError:
        return {"bytes": base64.b64encode(text).decode()}


def json_expected(output, files, case):
    """Return the messages that --json should print, without times. files: (path, lines, number of searched bytes, offset of
    the first NUL). The number of printed bytes comes from the output, which is a list of lines."""
    names = ("searches", "searches_with_match", "bytes_searched", "matched_lines", "matches", "bytes_printed")
    wanted, sums = [], dict.fromkeys(names, 0)
    for path, lines, searched, null in files:
        sums["searches"] += 1
        sums["bytes_searched"] += searched
        if not lines and null is None:
            continue
        first, path = len(wanted), data(path)
        wanted.append({"type": "begin", "data": {"path": path}})
        for selected, line, number, offset, spans, parts in lines:
            matches = [{"match": data(match), "start": begin, "end": end} for match, _, begin, end, _ in spans]
            for match, (_, new, _, _, distance) in zip(matches, spans):
                match |= {"replacement": data(new)} if case.replace is not None else {}
                match |= {"distance": distance} if case.distance else {}
            facts = {"path": path, "lines": data(line), "line_number": number, "absolute_offset": offset}
            if 0 < case.columns < len(line):
                facts |= {"lines": data(b""), "line_bytes": len(line)}
            if case.around:
                facts["excerpts"] = [{"excerpt": part, "start": begin, "end": end} for part, begin, end in parts]
            kind = "match" if selected else "context"
            wanted.append({"type": kind, "data": {**facts, "submatches": matches}})
        hits = [len(spans) for selected, _, _, _, spans, _ in lines if selected]
        printed = sum(len(line) + 1 for line in output[first : len(wanted)])
        stats = dict(zip(names, (1, int(bool(hits)), searched, len(hits), sum(hits), printed)))
        wanted.append({"type": "end", "data": {"path": path, "binary_offset": null, "stats": stats}})
        for name in ("searches_with_match", "matched_lines", "matches", "bytes_printed"):
            sums[name] += stats[name]
    return wanted + [{"type": "summary", "data": {"stats": sums}}]


def messages(lines, early):
    """Return the messages of --json without times, and without the numbers of searched bytes if a search ends early."""
    found = [json.loads(line) if isinstance(line, bytes) else line for line in lines]
    for message in found:
        if message["type"] in ("end", "summary"):
            message["data"].pop("elapsed_total", None)
            message["data"].pop("not_searched", None)
            message["data"]["stats"].pop("elapsed", None)
            if early:
                message["data"]["stats"].pop("bytes_searched")
    return found
