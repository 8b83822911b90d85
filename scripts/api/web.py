"""web: the same manual as one page for browsers, without a script."""

import re
from xml.sax.saxutils import escape

import header

STYLE = """
body { font: 16px/1.5 sans-serif; max-width: 52rem; margin: 2rem auto; padding: 0 1rem; }
pre, code { font: 14px/1.45 monospace; }
pre { background: #f4f4f4; padding: .6rem .8rem; overflow-x: auto; }
h3 { margin: 2rem 0 .3rem; border-top: 1px solid #ccc; padding-top: .8rem; }
dt { font-weight: bold; } dd { margin: 0 0 .4rem 1.5rem; }
@media (prefers-color-scheme: dark) {
    body { background: #181818; color: #ddd; } pre { background: #262626; } a { color: #8bf; }
}
"""


class Writer:
    def __init__(self, api):
        self.api = api
        self.targets = {function.name for function in api.functions} | set(api.types)

    def linked(self, text, own=''):
        """Text with links from each name that is explained on the page."""

        def link(match):
            name = match.group()
            return f'<a href="#{name}">{name}</a>' if name in self.targets and name != own else name

        text = re.sub(r'\btrawl_\w+', link, escape(text))
        return re.sub(r'`(\w+)`', r'<code>\1</code>', text)

    def blocks(self, found):
        lines, kind = [], None
        for block in found:
            now = None if block[0] != 'item' else 'dl' if block[1] else 'ul'
            if kind != now:
                lines += ([f'</{kind}>'] if kind else []) + ([f'<{now}>'] if now else [])
                kind = now
            if block[0] == 'text':
                lines.append(f'<p>{self.linked(block[1])}</p>')
            elif block[0] == 'code':
                lines.append('<pre>' + self.linked('\n'.join(block[1])) + '</pre>')
            elif block[1]:
                lines += [f'<dt>{escape(block[1])}</dt><dd>', *self.blocks(block[2]), '</dd>']
            else:
                lines += ['<li>', *self.blocks(block[2]), '</li>']
        return lines + ([f'</{kind}>'] if kind else [])

    def function(self, function):
        start = f'{function.result}{"" if function.result.endswith("*") else " "}{function.name}('
        text = (',\n' + ' ' * 4).join(function.parameters) if function.parameters else 'void'
        split = '\n    ' if len(function.parameters) > 1 else ''
        return self.linked(f'{start}{split}{text});', function.name)

    def page(self, page):
        lines = []
        for function in page.functions:
            lines.append(f'<h3 id="{function.name}">{function.name}</h3>')
            lines.append(f'<pre>{self.function(function)}</pre>')
        return lines + self.blocks(header.blocks(page.lines))

    def type(self, type_):
        lines = [f'<h3 id="{type_.name}">{type_.title}</h3>']
        lines += self.blocks(header.blocks(type_.lines))
        if type_.kind == 'typedef':
            return lines + [f'<pre>{self.linked(type_.members[0][0], type_.name)};</pre>']
        lines.append('<dl>')
        for name, comment in type_.members:
            lines.append(f'<dt><code>{self.linked(name)}</code></dt>')
            lines.append(f'<dd>{self.linked(header.words_of(comment))}</dd>')
        lines.append('</dl>')
        if type_.initializer:
            lines.append(
                f'<p><code>{type_.initializer}</code> sets the size, and all else to its default.</p>'
            )
        return lines


def page(api):
    writer = Writer(api)
    title = f'trawl {api.version}: the library'
    lines = [
        '<!DOCTYPE html>',
        '<html lang="en"><head><meta charset="utf-8"/>',
        '<meta name="viewport" content="width=device-width"/>',
        f'<title>{title}</title><style>{STYLE}</style></head><body>',
        f'<h1>{title}</h1>',
        *writer.blocks(header.blocks([api.summary + '.', *api.lines[1:]])),
        '<ul>',
    ]
    for number, section in enumerate(api.sections):
        names = ', '.join(f'<a href="#{f.name}">{f.name}</a>' for p in section.pages for f in p.functions)
        lines.append(f'<li><a href="#section{number}">{escape(section.title)}</a>: {names}</li>')
    lines.append('</ul>')
    for number, section in enumerate(api.sections):
        lines.append(f'<h2 id="section{number}">{escape(section.title)}</h2>')
        lines += writer.blocks(header.blocks(section.lines))
        for type_ in section.types:
            lines += writer.type(type_)
        for one in section.pages:
            lines += writer.page(one)
    return '\n'.join([*lines, '</body></html>']) + '\n'
