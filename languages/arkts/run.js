// Runs a program that compile.js made: node run.js main.js. Gives it the names of assize.d.ts and
// the modules of kit.d.ts. Output is gathered and written in large pieces, at the end, and before
// the program waits for input, so that a dialogue works without flush().
'use strict';

const fs = require('fs');
const path = require('path');
const util = require('util');
const vm = require('vm');
const kit = require('./kit.js');

const PIECE_BYTES = 1 << 16;
const GATHERED_MAX = 1 << 16;

// ---- output ----

let gathered = [];
let gatheredLength = 0;

function writeAll(fd, text) {
    const bytes = Buffer.from(text, 'utf8');
    let at = 0;
    while (at < bytes.length) {
        try {
            at += fs.writeSync(fd, bytes, at);
        } catch (error) {
            if (error.code !== 'EAGAIN') {
                throw error;
            }
        }
    }
}

function flush() {
    if (gathered.length > 0) {
        const text = gathered.join('');
        gathered = [];
        gatheredLength = 0;
        writeAll(1, text);
    }
}

function put(text) {
    gathered.push(text);
    gatheredLength += text.length;
    if (gatheredLength > GATHERED_MAX) {
        flush();
    }
}

// ---- input ----

const piece = Buffer.alloc(PIECE_BYTES);
const decoder = new util.TextDecoder('utf-8', { ignoreBOM: false });
let waiting = '';
let at = 0;
let ended = false;

// Reads one more piece behind what is waiting; false at the end.
function more() {
    if (ended) {
        return false;
    }
    flush();
    let count = 0;
    for (;;) {
        try {
            count = fs.readSync(0, piece, 0, PIECE_BYTES, null);
            break;
        } catch (error) {
            if (error.code === 'EOF') {
                break;
            }
            if (error.code !== 'EAGAIN') {
                throw error;
            }
        }
    }
    ended = count === 0;
    waiting = waiting.slice(at) + decoder.decode(piece.subarray(0, count), { stream: !ended });
    at = 0;
    return !ended;
}

function readLine() {
    let from = at;
    for (;;) {
        const end = waiting.indexOf('\n', from);
        if (end >= 0) {
            const line = waiting.slice(at, end > at && waiting[end - 1] === '\r' ? end - 1 : end);
            at = end + 1;
            return line;
        }
        const searched = waiting.length - at;
        if (!more()) {
            break;
        }
        from = at + searched;
    }
    if (at >= waiting.length) {
        return null;
    }
    const line = waiting.slice(at);
    at = waiting.length;
    return line;
}

function readAll() {
    const parts = [waiting.slice(at)];
    waiting = '';
    at = 0;
    while (more()) {
        parts.push(waiting);
        waiting = '';
    }
    parts.push(waiting);
    waiting = '';
    return parts.join('');
}

function isSpace(code) {
    return code === 32 || (code >= 9 && code <= 13);
}

class Scanner {
    hasNext() {
        for (;;) {
            while (at < waiting.length && isSpace(waiting.charCodeAt(at))) {
                at++;
            }
            if (at < waiting.length) {
                return true;
            }
            if (!more()) {
                return at < waiting.length;
            }
        }
    }
    next() {
        if (!this.hasNext()) {
            throw new RangeError('the input has ended');
        }
        let end = at;
        for (;;) {
            while (end < waiting.length && !isSpace(waiting.charCodeAt(end))) {
                end++;
            }
            const length = end - at;
            if (end < waiting.length || !more()) {
                break;
            }
            end = at + length;
        }
        const word = waiting.slice(at, end);
        at = end;
        return word;
    }
    nextInt() {
        const word = this.next();
        const value = Number(word);
        if (!Number.isInteger(value)) {
            throw new TypeError(`"${word}" is no whole number`);
        }
        return value;
    }
    nextLong() {
        return BigInt(this.next());
    }
    nextDouble() {
        const word = this.next();
        const value = Number(word);
        if (Number.isNaN(value)) {
            throw new TypeError(`"${word}" is no number`);
        }
        return value;
    }
    hasNextLine() {
        return at < waiting.length || more() || at < waiting.length;
    }
    nextLine() {
        const line = readLine();
        if (line === null) {
            throw new RangeError('the input has ended');
        }
        return line;
    }
}

// ---- the program ----

const out = (...values) => put(`${util.format(...values)}\n`);
const err = (...values) => writeAll(2, `${util.format(...values)}\n`);
const names = {
    readLine,
    readAll,
    Scanner,
    flush,
    print: (...values) => put(`${values.join(' ')}\n`),
    write: (value) => put(String(value)),
    exit: (status) => {
        flush();
        process.exit(status);
    },
    console: { log: out, info: out, warn: err, error: err },
};

function find(name, modules, loaded) {
    if (name === '@kit.ArkTS') {
        return kit;
    }
    if (name.startsWith('@ohos.util.')) {
        const only = kit[name.slice('@ohos.util.'.length)];
        return { __esModule: true, default: only };
    }
    const key = path.posix.basename(name, '.ets');
    if (!loaded.has(key)) {
        const module = { exports: {} };
        loaded.set(key, module);
        modules[key](module.exports, (each) => find(each, modules, loaded), module);
    }
    return loaded.get(key).exports;
}

process.on('exit', flush);
process.on('uncaughtException', (error) => {
    flush();
    writeAll(2, `${error instanceof Error ? error.stack : String(error)}\n`);
    process.exit(1);
});

const file = process.argv[2];
const assize = { start: (modules, entry) => find(`./${entry}`, modules, new Map()) };
const keys = Object.keys(names);
const program = vm.compileFunction(fs.readFileSync(file, 'utf8'),
    ['assize', ...keys, 'process', 'require', 'module', 'global'], { filename: file });
program(assize, ...keys.map((key) => names[key]));
