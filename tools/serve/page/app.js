/* app: turns what the user types into requests, and the answers into lists.
 *
 * Names and lines of files reach the page as text nodes, never as markup. The page runs a single
 * search at a time. When the next search begins, the AbortController of the previous one ends all its
 * requests, and the page ignores what still arrives from them.
 */
'use strict';

const DELAY_MS = 80; // time between the last key and the search
const ENTRY_MS = 1000; // searches within this time share an entry of the browser's history
const LINES_FIRST = 200; // lines with matches in the first request; doubled in each further request
const LINE_BYTES_MAX = 2000; // bytes shown of a line; the page says how many more there are
const AROUND_BYTES_MIN = 100; // of them, on either side of each match
const MESSAGES_MAX = 50;
// Maximum number of file names in an answer, and of those shown; fewer of both next to lines.
const [NAMES_MAX, NAMES_SHOWN] = [10000, 200];
const [BESIDE_MAX, BESIDE_SHOWN] = [1000, 3];
const COLOURS_MAX = 1 << 20; // characters of the text that is coloured
const COLOURS_MS = 60000; // if colouring is slower, the page stays uncoloured
const FOLLOW_MS = 2000; // interval between checks for changed files
const BROKE_OFF = 'The answer broke off: there may be more.';

const byId = id => document.getElementById(id);
const [form, query, named, results, more] = ['form', 'q', 'named', 'results', 'more'].map(byId);
const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
const number = value => value.toLocaleString('en');
const several = (count, what) => `${number(count)} ${what}${count === 1 ? '' : 's'}`;

let search = null; // the current search
let collections = [];
let timer = 0;
let entered = -Infinity; // time of the last entry in the history

function make(parent, tag, classes, text) {
    const element = parent.appendChild(document.createElement(tag));
    if (classes) element.className = classes;
    if (text !== undefined) element.textContent = text;
    return element;
}

// ---- The server

/* Sends a request. Returns the response if its status is 2xx; otherwise throws an error whose message the page shows. */
async function ask(path, body, signal) {
    const headers = body ? { 'Content-Type': 'application/json' } : {};
    const token = sessionStorage.getItem('token');
    if (token) headers.Authorization = `Bearer ${token}`;
    const method = body ? 'POST' : 'GET';
    let response;
    try {
        response = await fetch(path, { method, headers, body: body && JSON.stringify(body), signal });
    } catch (error) {
        if (error.name === 'AbortError') throw error;
        throw new Error('The server does not answer. Does it still run?');
    }
    if (response.ok) return response;
    if (response.status === 401 && byId('login').hidden) {
        byId('login').hidden = false;
        byId('token').focus();
    }
    if (response.status === 401)
        throw new Error(token ? 'This is not the server\'s token.' : 'The server asks for a token.');
    const answer = await response.json().catch(() => null);
    const message = answer?.error?.message;
    throw new Error(message ? shown(message) : `The server answered with status ${response.status}.`);
}

/* Returns the message of an error that `ask` threw, or BROKE_OFF for an error of the browser, whose message would not help
   the user. */
function wordsOf(error) {
    return error.name === 'Error' ? error.message : BROKE_OFF;
}

/* Yields the lines of a response as they arrive: arrays of lines without line ends. */
async function* linesOf(response) {
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let rest = ''; ; ) {
        const { done, value } = await reader.read();
        if (done) return;
        const lines = (rest + value).split('\n');
        rest = lines.pop();
        yield lines;
    }
}

// ---- What is asked

/* Returns the part of the address after '#': the form's values that differ from the initial values. */
function addressOf() {
    const data = new URLSearchParams(new FormData(form));
    for (const [name, value] of [...data])
        if (!value || (value === '0' && (name === 'k' || name === 'c'))) data.delete(name);
    return `#${data}`;
}

function formFromAddress() {
    const data = new URLSearchParams(location.hash.slice(1));
    for (const element of form.elements) {
        const value = data.get(element.name);
        if (element.type === 'checkbox') element.checked = value !== null;
        else if (element.type === 'number') element.value = value ?? '0';
        else if (element.name === 'in') chooseCollection(value ?? '');
        else if (element.name) element.value = value ?? '';
    }
}

/* Selects a collection, or all of them with the name ''. The name may be unknown to the server, which then answers with an error. */
function chooseCollection(name) {
    const select = form.elements.in;
    select.replaceChildren(new Option('all', ''), ...collections.map(({ name }) => new Option(name)));
    if (name && !collections.some(one => one.name === name)) select.add(new Option(name));
    select.value = name;
    select.parentElement.hidden = select.options.length < 3;
}

/* Returns the collection, as the server knows it, and the path of a file; in answers about all collections, the path begins
   with the collection's name. */
function placeOf(path) {
    const own = collections.length < 2 ? collections[0]?.name : form.elements.in.value, [first, ...rest] = path.split('/');
    return { one: collections.find(({ name }) => name === (own || first)), path: own ? path : rest.join('/') };
}

/* Returns the text to search for and the names of files. Words such as f:NAME at either end of the query name files, unless
   they follow a backslash. */
function partsOf(query) {
    const names = [], take = (all, not, name) => (names.push(not ? `!${name}` : name), '');
    let text = query;
    for (const word of [/^(-?)(?:f|file|path):(\S+)(?: |$)/, /(?:^| )(-?)(?:f|file|path):(\S+) ?$/])
        for (let before = ''; before !== text; ) {
            before = text;
            text = text.replace(word, take);
        }
    return { text: text.replace(/(^| )\\(-?(?:f|file|path):\S)/g, '$1$2'), names };
}

function bodyOf() {
    const data = new FormData(form);
    if (data.get('f')) {
        const { one, path } = placeOf(data.get('f'));
        return { patterns: [''], options: ['--text'], collection: one?.sent ?? '', paths: path ? [path] : [] };
    }
    const words = name => data.get(name).match(/(?:\\.|\S)+/g) ?? []; // after a backslash, a blank belongs to the word
    const options = [], files = [...words('g').map(glob => `--glob=${glob}`), ...words('t').map(type => `--type=${type}`)];
    if (data.has('i')) options.push('--ignore-case');
    else if (data.has('s')) options.push('--smart-case');
    if (data.has('w')) options.push('--word-regexp');
    if (data.has('e')) options.push('--perl-regexp');
    if (Number(data.get('k'))) options.push(`--mismatches=${data.get('k')}`);
    const { text, names } = partsOf(data.get('q'));
    const body = { patterns: [text], requires: words('a'), names };
    const chosen = data.get('in');
    if (chosen) body.collection = collections.find(one => one.name === chosen)?.sent ?? chosen;
    return { ...body, options: options.concat(files) };
}

// ---- A search

/* Begins the search that the user asked for, and puts the query into the address, so that the user can share the address, and
   the browser's back button works. */
function beginAsked() {
    const now = performance.now(), address = addressOf();
    if (address !== (location.hash || '#'))
        history[now - entered < ENTRY_MS ? 'replaceState' : 'pushState'](null, '', address);
    entered = now;
    begin();
}

/* Begins a search. `again`: the same search, because files have changed; the page stays where the user has scrolled to. */
function begin(limit = LINES_FIRST, again = false) {
    clearTimeout(timer);
    search?.abort.abort();
    // The focused line, which the repeated search may show again: an inert list loses the focus.
    const focus = document.activeElement.dataset.where ?? (search?.cleared === false ? search.focus : undefined);
    const file = form.elements.f.value, body = bodyOf(), title = file || query.value, target = Number(form.elements.l.value);
    document.title = title ? `${title} – trawl` : 'trawl';
    if (file) limit = Math.max(limit, target + 100);
    search = {
        view: file, // the file of which all lines are shown
        target, // the number of the line that its link names
        targetRow: null, // the line's element until it was scrolled to
        top: again ? scrollY : null, // where to scroll to instead
        focus,
        abort: new AbortController(),
        body,
        isListing: !file && body.patterns[0] === '' && body.names.length > 0, // the query names files and no text
        names: file || !title ? [] : null, // the names of files that the query finds; null: they are not known yet
        rows: [], // { file, line, code } of each line
        coloured: null, // those of them whose tokens are known
        context: Number(form.elements.c.value),
        limit,
        running: false,
        cleared: false, // the page no longer shows results of the search before
        taken: [], // the answer's JSON lines that are shown; a longer answer adds lines after them
        lineCount: 0,
        received: 0, // lines with matches in the last answer, ≤ limit
        file: null, // the file to which lines are added
        counts: null, // the answer of /v1/count; a string is the message of an error
        status: null, // the answer's last line
        error: '',
    };
    results.inert = true;
    results.classList.add('old');
    named.classList.add('old');
    results.classList.toggle('view', Boolean(file));
    if (!title) return finish(search, '');
    askAgain(search);
}

async function count(search) {
    try {
        const response = await ask('/v1/count', search.body, search.abort.signal);
        search.counts = await response.json();
    } catch (error) {
        if (search.abort.signal.aborted) return;
        search.counts = wordsOf(error);
    }
    if (!search.abort.signal.aborted) tell(search);
}

/* Finds the files with the query's names, or with its text in their names. */
async function findNames(search) {
    const [text] = search.body.patterns, { signal } = search.abort, data = new FormData(form);
    const wanted = search.isListing ? search.body.names : [...search.body.names, text];
    const options = search.body.options.filter(option => /^--(glob|type)=/.test(option)).concat('--files', '--null');
    const body = { ...search.body, patterns: [], options, names: wanted, format: 'frames',
        max_results: search.isListing ? NAMES_MAX : BESIDE_MAX };
    let names = [], error = '';
    try {
        if (search.isListing || (/^[^!*?][^*?]+$/.test(text) && !data.has('e')))
            names = await namesIn(await ask('/v1/search', body, signal));
    } catch (reason) {
        error = wordsOf(reason);
    }
    if (signal.aborted) return;
    showNames(search, ranked(names, wanted.filter(name => name[0] !== '!').at(-1) ?? ''));
    if (search.isListing) finish(search, error);
    else tell(search);
}

/* Returns the names in an answer of frames: a byte for the kind, the number of bytes, and the bytes. */
async function namesIn(response) {
    const bytes = new Uint8Array(await response.arrayBuffer()), numbers = new DataView(bytes.buffer), parts = [];
    for (let at = 0, end; at < bytes.length; at = end) {
        end = at + 5 + numbers.getUint32(at + 1, true);
        if (bytes[at] === 0x6f) parts.push(bytes.subarray(at + 5, end)); // 'o', output
    }
    return (await new Blob(parts).text()).split('\0').slice(0, -1);
}

/* Ranks names: first those whose last part is the text, then those whose last part begins with it, then those whose last part contains it. */
function ranked(names, text) {
    const wanted = text.toLowerCase();
    const rank = name => {
        const last = name.slice(name.lastIndexOf('/') + 1).toLowerCase();
        return last === wanted ? 0 : last.startsWith(wanted) ? 1 : last.includes(wanted) ? 2 : 3;
    };
    return names.map(name => [rank(name), name.length, name]).sort(
        (a, b) => a[0] - b[0] || a[1] - b[1] || (a[2] < b[2] ? -1 : 1)).map(([, , name]) => name);
}

async function fetchLines(search) {
    const { signal } = search.abort;
    const options = [...search.body.options];
    if (search.context) options.push(`--context=${search.context}`);
    const body = { ...search.body, options, max_results: search.limit };
    search.running = true;
    search.status = null;
    if (search.cleared) byId('messages').replaceChildren(); // the new answer repeats them
    tell(search);
    let error = '';
    try {
        const cursor = { taken: 0, received: 0 };
        for await (const lines of linesOf(await ask('/v1/search', body, signal))) {
            if (signal.aborted) return;
            clear(search);
            for (const line of lines)
                if (!take(search, cursor, line)) return begin(search.limit, true);
        }
        if (!search.status) error = BROKE_OFF;
        else if (cursor.taken < search.taken.length && !signal.aborted) return begin(search.limit, true);
        search.received = cursor.received;
    } catch (reason) {
        error = wordsOf(reason);
    }
    if (!signal.aborted) finish(search, error);
}

function clear(search) {
    if (search.cleared) return;
    search.cleared = true;
    results.replaceChildren();
    results.inert = false;
    results.classList.remove('old');
    painter?.terminate();
    for (const ink of inks) ink.clear();
    byId('messages').replaceChildren();
    byId('error').textContent = '';
}

function finish(search, error) {
    clear(search);
    search.running = false;
    search.error = error;
    byId('error').textContent = error;
    if (!error && search.body.patterns[0]) byId('login').hidden = true;
    more.hidden = !canGrow(search);
    colour(search);
    requestAnimationFrame(() => showTarget(search)); // once the lines are laid out
    watcher.unobserve(more); // observing the button again reports whether the button is visible now
    watcher.observe(more);
    tell(search);
}

/* Scrolls to the line that the view's link names, once: afterwards the user scrolls. */
function showTarget(search) {
    if (search.top !== null) scrollTo(0, search.top);
    else search.targetRow?.scrollIntoView({ block: 'center' });
    search.targetRow = search.top = null;
}

/* Returns true if a larger limit may bring more lines. If a truncated answer has fewer matching lines than the limit, it was
   the server's own limit that ended the answer. */
function canGrow(search) {
    return !search.running && search.status?.truncated === true && search.received >= search.limit;
}

function grow() {
    if (!search || !canGrow(search)) return;
    search.limit *= 2;
    askAgain(search);
}

/* Requests the search's counts and lines again. Lines that are shown stay, with focus and selection, unless the new answer
   differs in them. */
function askAgain(search) {
    if (!search.isListing && !search.view) count(search); // the files may have changed since the last count
    if (!search.isListing) fetchLines(search);
    if (!search.view) findNames(search); // last: if the server allows only a few queries at a time, it rejects this one
}

/* Handles a line of an answer. Returns false if a line that is already shown differs, because a file has changed. */
function take(search, cursor, text) {
    const { type, data } = JSON.parse(text);
    if (type === 'match') cursor.received++;
    if (type === 'begin' || type === 'match' || type === 'context') {
        const at = cursor.taken++;
        if (at < search.taken.length) return search.taken[at] === text;
        search.taken.push(text);
        if (type === 'begin') showFile(search, data);
        else showLine(search, data, type === 'match');
    } else if (type === 'end' && data.binary_offset !== null && cursor.taken === search.taken.length) {
        search.file.note.textContent = 'binary file: lines after its first zero byte are not shown';
    } else if (type === 'message' && byId('messages').childElementCount < MESSAGES_MAX) {
        make(byId('messages'), 'p', '', shown(data.text ?? data));
    } else if (type === 'status') {
        search.status = data;
    }
    return true;
}

// ---- What is shown

const bytesOf = text => text.text !== undefined ? encoder.encode(text.text)
    : Uint8Array.from(atob(text.bytes), character => character.charCodeAt(0));

/* Decodes UTF-8. Invalid bytes become replacement characters, control characters symbols (U+2400 and above), and other
   characters that a terminal obeys, or that change the order or the lines of the text, their numbers. */
const textOf = bytes => cleaned(decoder.decode(bytes));
const cleaned = text => text
    .replace(/[\0-\x08\x0b-\x1f]/g, character => String.fromCharCode(0x2400 + character.charCodeAt(0)))
    .replace(/[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, character =>
        `[U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}]`);

/* Returns a member of an answer, which is a string or an object with bytes, as the page shows the member. */
const shown = text => textOf(bytesOf(text.bytes === undefined ? { text } : text));

function showNames(search, names) {
    const isSame = JSON.stringify(names) === JSON.stringify(search.names), [text] = search.body.patterns;
    search.names = names;
    named.classList.remove('old');
    if (isSame) return;
    const focus = document.activeElement.dataset.where ?? search.focus;
    named.replaceChildren();
    const shown = names.slice(0, search.isListing ? NAMES_SHOWN : BESIDE_SHOWN);
    for (const [at, name] of shown.entries()) {
        const path = cleaned(name), isPlain = path === name && !path.includes('\ufffd');
        const link = make(make(named, 'li'), isPlain ? 'a' : 'span', '', path);
        if (!isPlain) continue;
        link.href = addressAt(path, '');
        link.tabIndex = at ? -1 : 0;
        link.dataset.where = path;
        if (path === focus) link.focus({ preventScroll: true });
    }
    if (search.isListing || names.length === shown.length) return;
    const all = new URLSearchParams(addressOf().slice(1)), item = make(named, 'li');
    all.set('q', [...search.body.names, text].map(name => name[0] === '!' ? `-f:${name.slice(1)}` : `f:${name}`).join(' '));
    const rest = names.length === BESIDE_MAX ? 'more' : `${number(names.length - shown.length)} more`;
    make(item, /\s/.test(text) ? 'span' : 'a', '', rest).href = `#${all}`;
}

function showFile(search, data) {
    const file = make(results, 'li', 'file');
    const path = textOf(bytesOf(data.path));
    const heading = make(file, 'h2'), link = make(heading, data.path.text === path ? 'a' : 'span', '', path);
    const note = make(file, 'p', 'note');
    const { one } = placeOf(search.view || path), open = one?.link ? make(heading, 'a', 'open', 'open') : null;
    search.file = { path: search.view || path, link, open, note, lines: make(file, 'ol'), line: 0 };
    search.file.lines.setAttribute('role', 'list');
    search.file.lines.setAttribute('aria-label', `Lines of ${path}`);
}

function showLine(search, data, isMatch) {
    const { file } = search, line = data.line_number;
    const gap = search.context && file.line && line > file.line + 1;
    const row = make(file.lines, 'li', gap ? 'line gap' : 'line');
    const label = make(row, search.view ? 'a' : isMatch ? 'button' : 'span', '', line);
    const code = make(row, 'code');
    // Until a match is shown, the heading links to the first line: an answer may end with lines of context.
    if (!file.line || (isMatch && (!file.isLinked || line === search.target))) linkFile(file, line);
    file.isLinked ||= isMatch;
    file.line = line;
    search.rows.push({ file, line, code });
    if (search.view) {
        label.href = addressAt(file.path, line);
        search.lineCount++;
        if (line === search.target) search.targetRow = row;
        row.classList.toggle('target', line === search.target);
    } else if (isMatch) {
        label.type = 'button';
        label.tabIndex = search.lineCount ? -1 : 0;
        label.dataset.where = `${file.path}:${line}`;
        label.setAttribute('aria-label', `${line}: copy ${label.dataset.where}`);
        code.id = `line-${search.lineCount++}`;
        label.setAttribute('aria-describedby', code.id);
        if (label.dataset.where === search.focus) label.focus({ preventScroll: true });
    }
    fill(code, bytesOf(data.lines), search.view ? [] : data.submatches);
}

/* Shows a line's bytes with the matches marked; of a long line, what is around each match, as --around does. Offsets count
   bytes; a mark is widened to whole characters. */
function fill(code, bytes, submatches) {
    const inside = at => at < bytes.length && (bytes[at] & 0xc0) === 0x80;
    const left = at => { while (at > 0 && inside(at)) at--; return at; };
    const right = at => { while (inside(at)) at++; return at; };
    const end = bytes.length - (bytes.at(-1) === 10), parts = [];
    let at = 0, room = end > LINE_BYTES_MAX ? LINE_BYTES_MAX : Infinity;
    const around = Math.max(Math.floor(room / 2 / Math.max(1, submatches.length)), AROUND_BYTES_MIN);
    for (const match of submatches.length ? submatches : [{ start: 0, end: 0 }]) {
        const from = left(Math.max(at, match.start - around));
        if (room <= 0) break;
        at = right(Math.min(end, match.end + around, from + room));
        room -= at - from;
        if (from === parts.at(-1)?.end) parts.at(-1).end = at;
        else parts.push({ from, end: at });
    }
    at = 0;
    for (const part of parts) {
        const before = several(part.from - at, 'byte');
        if (part.from > at) make(code, 'span', 'note', at ? ` … ${before} … ` : `${before} before … `);
        at = part.from;
        for (const match of submatches) {
            const from = Math.max(at, left(match.start)), to = Math.min(part.end, right(match.end));
            if (from >= to) continue;
            code.append(textOf(bytes.subarray(at, from)));
            make(code, 'mark', '', textOf(bytes.subarray(from, to)));
            at = to;
        }
        code.append(textOf(bytes.subarray(at, part.end)));
        at = part.end;
    }
    if (at < end) make(code, 'span', 'note', ` … ${several(end - at, 'byte')} more`);
}

/* Returns the address of a line in the view of its file. */
function addressAt(path, line) {
    const data = new URLSearchParams(addressOf().slice(1));
    data.set('f', path);
    if (line) data.set('l', line);
    else data.delete('l');
    return `#${data}`;
}

/* Makes the links of a file lead to a line, in the page and in the editor or forge of the server's --link. */
function linkFile({ path, link, open }, line) {
    link.href = addressAt(path, line);
    if (!open) return;
    const place = placeOf(path), values = { root: place.one.root, collection: place.one.name, path: place.path, line };
    const encoded = value => String(value).split('/').map(encodeURIComponent).join('/'); // '#' and '?' would end a path
    open.href = place.one.link.replace(/\{(root|collection|path|line)\}/g, (_, name) => encoded(values[name]));
}

// ---- Colours

// Colours are highlights, which do not change elements, selections or marks.
const KINDS = ['comment', 'string', 'number', 'keyword', 'function', 'type'];
const inks = window.Highlight ? KINDS.map(kind => {
    const ink = new Highlight();
    CSS.highlights.set(kind, ink);
    return ink;
}) : [];
let painter = null; // the worker

/* Keyed by what follows the last full stop in a file's name; by the whole name if it has none. */
const LANGUAGES = new Map(Object.entries({
    bash: 'bash sh zsh ksh bashrc profile', c: 'c h', cmake: 'cmake', cpp: 'cc cpp cxx c++ hh hpp hxx inl cu cuh ino', csharp: 'cs',
    css: 'css', diff: 'diff patch', docker: 'dockerfile containerfile', go: 'go', haskell: 'hs',
    ini: 'ini cfg conf desktop service socket', java: 'java', javascript: 'js mjs cjs jsx', json: 'json ipynb geojson', julia: 'jl',
    kotlin: 'kt kts', lua: 'lua', makefile: 'makefile mk gnumakefile', markdown: 'md markdown',
    markup: 'html htm xhtml xml svg xsd xsl rss', objectivec: 'm mm', perl: 'pl pm t', php: 'php', powershell: 'ps1 psm1',
    protobuf: 'proto',
    python: 'py pyi pyx pxd pxi', r: 'r', ruby: 'rb gemspec rakefile gemfile', rust: 'rs', scala: 'scala sc', sql: 'sql',
    swift: 'swift', toml: 'toml', typescript: 'ts mts cts tsx', yaml: 'yml yaml',
}).flatMap(([language, ends]) => ends.split(' ').map(end => [end, language])));

/* Colours the tokens of the lines, according to their files' languages. Consecutive lines of a file
 * are treated as one text. Lines that
   are shown in part and files with NUL bytes stay as they are. */
function colour(search) {
    painter?.terminate(); // a text of an earlier search may be slow
    const texts = [], rows = [];
    const binary = new Set(search.rows.filter(({ code }) => code.textContent.includes('\u2400')).map(({ file }) => file)); // NUL
    let last = null, rest = COLOURS_MAX;
    for (const row of inks.length ? search.rows : []) {
        const { file, line, code } = row, name = file.path.split('/').at(-1).toLowerCase();
        const language = name === 'cmakelists.txt' ? 'cmake' : LANGUAGES.get(name.split('.').at(-1));
        const text = code.querySelector('.note') ? '' : code.textContent;
        rest -= text.length;
        if (!language || rest < 0 || binary.has(file)) continue;
        if (file !== last?.file || line !== last.line + 1) texts.push({ language, lines: [] });
        texts.at(-1).lines.push(text);
        rows.push(row);
        last = row;
    }
    if (!rows.length) return;
    const worker = painter = new Worker('colours.js');
    setTimeout(() => worker.terminate(), COLOURS_MS);
    worker.onmessage = ({ data }) => {
        worker.terminate();
        for (const [at, tokens] of data.entries()) rows[at].tokens = tokens;
        search.coloured = rows;
        paint(search, true);
    };
    painter.postMessage(texts);
}

/* Colours the visible lines and about a page above and below them: browsers look at all highlights of a page whenever an
   element changes. Marked text keeps its colour, which suits the mark. */
function paint(search, anew) {
    const rows = search?.coloured;
    if (!rows || (!anew && Math.abs(scrollY - search.paintedAt) < innerHeight / 2)) return;
    search.paintedAt = scrollY;
    for (const ink of inks) ink.clear();
    let low = 0;
    for (let high = rows.length; low < high; ) {
        const middle = (low + high) >> 1;
        if (rows[middle].code.getBoundingClientRect().bottom < -innerHeight) low = middle + 1;
        else high = middle;
    }
    for (; low < rows.length && rows[low].code.getBoundingClientRect().top < 2 * innerHeight; low++) {
        const { tokens, code } = rows[low];
        let from = 0;
        for (const node of code.childNodes) {
            const to = from + node.textContent.length;
            for (let i = 0; i < tokens.length && node.nodeType === Node.TEXT_NODE; i += 3) {
                const first = Math.max(tokens[i + 1], from) - from, past = Math.min(tokens[i + 2], to) - from;
                if (first < past)
                    inks[tokens[i]].add(new StaticRange({ startContainer: node, startOffset: first, endContainer: node, endOffset: past }));
            }
            from = to;
        }
    }
}

// ---- What is told

/* Shows the counts and how many lines are shown. The page never hides lines without saying so. */
function tell(search) {
    const { counts, status, running, names } = search, parts = [];
    results.ariaBusy = String(running || names === null
        || (counts === null && !search.view && !search.isListing && query.value !== ''));
    if (search.isListing && names) {
        const found = several(names.length, names.length === 1 ? 'file has' : 'file'), have = names.length === 1 ? '' : ' have';
        byId('status').textContent = search.error ? '' : names.length === 0 ? 'No file has such a name. A name is a part of it, or a glob such as *.c; \\ before the query makes it a text.'
            : `${names.length === NAMES_MAX ? 'At least ' : ''}${found}${have} such a name.`
                + (names.length > NAMES_SHOWN ? ` The best ${NAMES_SHOWN} are shown.` : '');
        return;
    }
    if (!search.body.patterns[0] && !search.view) return void (byId('status').textContent = idle());
    if (typeof counts === 'string') parts.push(counts === search.error ? '' : `No count: ${counts}`);
    else if (counts?.occurrences === 0 && !search.lineCount) parts.push('Nothing found.', hint(search));
    else if (counts)
        parts.push(`${several(counts.occurrences, 'occurrence')} in ${several(counts.files, 'file')},`
            + ` counted in ${(counts.seconds * 1000).toFixed(1)} ms.`);
    if (counts?.unread) parts.push(`${several(counts.unread, 'file')} could not be read.`);
    if (running) parts.push('Searching …');
    else if (status && !status.truncated)
        parts.push(search.lineCount ? `All lines are shown: ${number(search.lineCount)}.` : '');
    else if (status)
        parts.push(`The first ${several(search.lineCount, 'line')} are shown, `
            + (canGrow(search) ? 'more when you scroll.' : 'more than the server\'s limits allow.'));
    byId('status').textContent = parts.filter(Boolean).join(' ');
}

function hint(search) {
    const words = search.body.options.length || search.body.names.length ? 'Fewer filters may find more.'
        : 'Ignoring case, or mismatches, may find more.';
    return search.body.collection ? `${words} So may another collection.` : words;
}

function idle() {
    const loading = collections.filter(one => one.loading).length ? ' Loading goes on.' : '';
    const names = collections.map(({ name, files }) => `${name} (${several(files, 'file')})`);
    return names.length ? `Type to search ${names.join(', ')}.${loading}` : '';
}

// ---- Keys

function move(step) {
    const lines = [...document.querySelectorAll('#named a, .line button')];
    const at = lines.indexOf(document.activeElement) + step;
    if (at < 0) return query.focus();
    if (at >= lines.length) return grow();
    lines[at].focus();
    lines[at].scrollIntoView({ block: 'nearest' });
}

function onKey(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
    const target = event.target, inBox = target === query;
    const inField = !inBox && /^(INPUT|SELECT)$/.test(target.tagName) && target.type !== 'checkbox';
    const plain = inBox || inField ? '' : event.key;
    if (event.key === 'Escape') {
        query.value = form.elements.f.value = form.elements.l.value = '';
        query.focus();
        beginAsked();
    } else if (plain === '/') query.focus(), query.select();
    else if (inBox && event.key === 'Enter' && search.isListing && results.ariaBusy === 'false') named.querySelector('a')?.click();
    else if (plain === 'j' || (!inField && event.key === 'ArrowDown')) move(1);
    else if (plain === 'k' || (!inField && event.key === 'ArrowUp')) move(inBox ? 0 : -1);
    else return;
    event.preventDefault();
}

async function copy({ target }) {
    const where = target.closest('button')?.dataset.where;
    if (!where) return;
    let said = `Copied ${where}`;
    try {
        await navigator.clipboard.writeText(where);
    } catch {
        said = `The browser does not let this page copy ${where}`;
    }
    byId('copied').textContent = said;
    setTimeout(() => { if (byId('copied').textContent === said) byId('copied').textContent = ''; }, 4000);
}

function onFocus({ target }) {
    if (!target.dataset.where) return;
    for (const one of target.closest('#named, #results').querySelectorAll('[tabindex="0"]')) one.tabIndex = -1;
    target.tabIndex = 0; // the Tab key leads to this line only
}

// ---- Beginning

const watcher = new IntersectionObserver(
    entries => { if (entries.some(entry => entry.isIntersecting)) grow(); }, { rootMargin: '800px' });

function setTheme(theme) {
    if (theme === 'system') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    byId('theme').textContent = `Theme: ${theme}`;
    localStorage.setItem('theme', theme);
}

/* Fetches the collections. Returns true if one has changed since the previous call. */
async function askCollections() {
    const answer = await (await ask('/v1/collections')).json(), before = JSON.stringify(collections);
    collections = answer.collections.map(one => ({
        ...one, sent: one.name, name: shown(one.name), root: shown(one.root),
    }));
    return JSON.stringify(collections) !== before;
}

/* Searches again when files have changed. */
async function follow() {
    const isIdle = () => collections.length && results.ariaBusy === 'false' && !document.hidden;
    try {
        if (isIdle() && await askCollections() && isIdle()) search.view || query.value ? askAgain(search) : begin();
    } catch { /* the user's next search shows the error */ }
    setTimeout(follow, FOLLOW_MS);
}

async function start() {
    try {
        await askCollections();
        byId('login').hidden = true;
        byId('error').textContent = '';
    } catch (error) {
        byId('error').textContent = error.message;
        return;
    }
    formFromAddress();
    begin();
}

form.addEventListener('input', () => {
    search?.abort.abort(); // otherwise the end of that search would report complete results
    results.ariaBusy = 'true';
    clearTimeout(timer);
    form.elements.f.value = form.elements.l.value = '';
    timer = setTimeout(beginAsked, DELAY_MS);
});
form.addEventListener('submit', event => { event.preventDefault(); beginAsked(); });
byId('login').addEventListener('submit', event => {
    event.preventDefault();
    sessionStorage.setItem('token', byId('token').value);
    start();
});
byId('theme').addEventListener('click', () => {
    const themes = ['system', 'dark', 'light'];
    setTheme(themes[(themes.indexOf(localStorage.getItem('theme')) + 1) % themes.length]);
});
more.addEventListener('click', grow);
addEventListener('scroll', () => requestAnimationFrame(() => paint(search, false)));
addEventListener('resize', () => requestAnimationFrame(() => paint(search, true)));
results.addEventListener('click', copy);
results.addEventListener('focusin', onFocus);
named.addEventListener('focusin', onFocus);
document.addEventListener('keydown', onKey);
addEventListener('hashchange', () => { formFromAddress(); begin(); });
setTheme(localStorage.getItem('theme') ?? 'system');
start().then(follow);
