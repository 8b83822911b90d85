/* colours: a worker that finds the tokens of texts, so that no text, however long or odd, blocks the page.
 *
 * The page sends [{ language, lines }, ...]. The answer lists for each line three numbers per token: kind, begin and end; a
 * kind is an index in app.js's KINDS.
 */
'use strict';

self.Prism = { disableWorkerMessageHandler: true };
importScripts('prism.js');

const KINDS = new Map([
    'comment prolog doctype cdata shebang',
    'string char regex attr-value url template-string triple-quoted-string code-snippet inserted',
    'number boolean constant',
    'keyword atrule important directive directive-hash selector title coord deleted',
    'function macro-name function-definition decorator annotation',
    'class-name tag attr-name property builtin symbol variable',
].flatMap((types, kind) => types.split(' ').map(type => [type, kind])));

/* Returns '/*' if the lines seem to begin inside a block comment: they continue with ' * ', or end a comment that did not begin. */
function begins(text, grammar) {
    const open = text.indexOf('/*'), close = text.search(/\*\/\s*$/m);
    const isInside = /^\s*\*\s/.test(text) || (close >= 0 && (open < 0 || close < open));
    return isInside && Prism.tokenize('/**/', grammar)[0].type === 'comment' ? '/*' : '';
}

/* Returns for each line the kind, begin and end of its tokens. */
function tokensOf({ language, lines }) {
    const grammar = Prism.languages[language], text = lines.join('\n'), before = begins(text, grammar);
    const found = lines.map(() => []);
    let line = 0, at = -before.length; // in the line
    const take = (token, outer) => {
        if (typeof token !== 'string') {
            const types = [token.type].concat(token.alias ?? []);
            const kind = KINDS.get(types.find(type => KINDS.has(type))) ?? outer;
            for (const part of [].concat(token.content)) take(part, kind);
            return;
        }
        for (const [number, part] of token.split('\n').entries()) {
            if (number) line++, at = 0;
            if (outer !== undefined && part) found[line].push(outer, Math.max(at, 0), at + part.length);
            at += part.length;
        }
    };
    for (const token of Prism.tokenize(before + text, grammar)) take(token);
    return found;
}

onmessage = ({ data }) => postMessage(data.flatMap(tokensOf));
