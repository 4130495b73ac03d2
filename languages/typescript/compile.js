// Compiles TypeScript into one JavaScript file, types checked.
//
//     node --snapshot-blob snapshot.blob --build-snapshot compile.js   once, while it is prepared
//     node --snapshot-blob snapshot.blob OUT.js ENTRY.ts SOURCE.ts...  for each submission
//
// The snapshot holds the compiler and its parsed libraries, which is most of the work of a start.
// Exit status 1: the compiler said no; its words are on stderr, one finding a line with file, line
// and column. Files of a submission import each other by './name'; beside these there are the
// modules of Node.js.
'use strict';

const fs = require('fs');
const path = require('path');
const v8 = require('v8');

const MODULES = '/usr/local/lib/assize/node_modules';
const NO = 1;
const FINDINGS_MAX = 100;
const LIB = 'lib.es2023.d.ts';

// The package comes by text: while a snapshot is built nothing can be required but what is built in.
function loadCompiler() {
    const file = path.join(MODULES, 'typescript/lib/typescript.js');
    const module = { exports: {} };
    const wrapped = new Function('module', 'exports', 'require', '__filename', '__dirname',
        fs.readFileSync(file, 'utf8'));
    wrapped(module, module.exports, require, file, path.dirname(file));
    return module.exports;
}

const ts = loadCompiler();

const OPTIONS = {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.CommonJS,
    moduleResolution: ts.ModuleResolutionKind.Node10,
    lib: [LIB],
    types: [],
    strict: true,
    esModuleInterop: true,
    skipLibCheck: true,
    noEmitOnError: true,
    newLine: ts.NewLineKind.LineFeed,
};

// Every library file by its name in the compiler's eyes, parsed once.
const parsed = new Map();
const roots = [];

function keep(name, text) {
    const source = ts.createSourceFile(name, text, OPTIONS.target, true);
    parsed.set(name, source);
    return source;
}

function keepLib(name) {
    const full = `/lib/${name}`;
    if (parsed.has(full)) {
        return;
    }
    const text = fs.readFileSync(path.join(MODULES, 'typescript/lib', name), 'utf8');
    for (const reference of keep(full, text).libReferenceDirectives) {
        const lib = ts.libMap?.get(reference.fileName) ?? `lib.${reference.fileName}.d.ts`;
        keepLib(lib);
    }
}

// The declarations of Node.js and what they build on.
function keepTypes(folder, name) {
    const full = `/types/${folder}/${name}`;
    if (parsed.has(full)) {
        return full;
    }
    const real = path.join(MODULES, folder, name);
    const source = keep(full, fs.readFileSync(real, 'utf8'));
    for (const reference of source.libReferenceDirectives) {
        keepLib(ts.libMap?.get(reference.fileName) ?? `lib.${reference.fileName}.d.ts`);
    }
    for (const reference of source.referencedFiles) {
        keepTypes(folder, path.posix.join(path.posix.dirname(name), reference.fileName));
    }
    return full;
}

keepLib(LIB);
roots.push(keepTypes('@types/node', 'index.d.ts'));
for (const name of fs.readdirSync(path.join(MODULES, 'undici-types'))) {
    if (name.endsWith('.d.ts')) {
        keepTypes('undici-types', name);
    }
}

function resolve(name, from, sources) {
    const file = path.posix.join(path.posix.dirname(from), name);
    const folder = from.startsWith('/types/') ? from.split('/').slice(0, 3).join('/') : '';
    const tries = name.startsWith('.')
        ? [file, `${file}.ts`, `${file}.d.ts`, file.replace(/\.js$/, '.ts'), file.replace(/\.js$/, '.d.ts')]
        : [`/types/${name}`, `/types/${name}.d.ts`, `/types/${name}/index.d.ts`,
            `${folder}/${name}.d.ts`];
    const found = tries.find((each) => sources.has(each) || parsed.has(each));
    return found === undefined
        ? undefined
        : { resolvedFileName: found, extension: found.endsWith('.d.ts') ? '.d.ts' : '.ts' };
}

function makeHost(sources, outputs) {
    return {
        getSourceFile: (name) => parsed.get(name)
            ?? (sources.has(name)
                ? ts.createSourceFile(name, sources.get(name), OPTIONS.target, true)
                : undefined),
        getDefaultLibFileName: () => `/lib/${LIB}`,
        getDefaultLibLocation: () => '/lib',
        getCurrentDirectory: () => '/w',
        getCanonicalFileName: (name) => name,
        useCaseSensitiveFileNames: () => true,
        getNewLine: () => '\n',
        fileExists: (name) => parsed.has(name) || sources.has(name),
        readFile: (name) => sources.get(name),
        directoryExists: (name) => name === '/w',
        getDirectories: () => [],
        writeFile: (name, text) => outputs.set(name, text),
        resolveModuleNames: (names, from) => names.map((name) => resolve(name, from, sources)),
    };
}

function tell(diagnostic) {
    const text = ts.flattenDiagnosticMessageText(diagnostic.messageText, '\n');
    if (!diagnostic.file || diagnostic.start === undefined) {
        return `error TS${diagnostic.code}: ${text}`;
    }
    const { line, character } = ts.getLineAndCharacterOfPosition(diagnostic.file, diagnostic.start);
    const name = diagnostic.file.fileName.replace(/^\/w\//, '');
    return `${name}:${line + 1}:${character + 1}: error TS${diagnostic.code}: ${text}`;
}

function findings(program, sources) {
    const found = [...program.getOptionsDiagnostics(), ...program.getGlobalDiagnostics()];
    for (const name of sources.keys()) {
        const source = program.getSourceFile(name);
        found.push(...program.getSyntacticDiagnostics(source),
            ...program.getSemanticDiagnostics(source));
    }
    return found.filter((each) => each.category === ts.DiagnosticCategory.Error);
}

// One file: each source a function of its own, called when it is first imported.
function bundle(entry, outputs) {
    const parts = [...outputs].map(([name, text]) => {
        const key = path.posix.basename(name, '.js');
        return `${JSON.stringify(key)}: function (exports, require, module) {\n${text}\n},`;
    });
    return `const sources = {\n${parts.join('\n')}\n};
const loaded = new Map();
function load(name) {
    const key = require('path').posix.basename(name).replace(/\\.(ts|js)$/, '');
    if (!name.startsWith('.') || !(key in sources)) {
        return require(name);
    }
    if (!loaded.has(key)) {
        const made = { exports: {} };
        loaded.set(key, made);
        sources[key].call(made.exports, made.exports, load, made);
    }
    return loaded.get(key).exports;
}
load(${JSON.stringify(`./${entry}`)});
`;
}

function makeProgram(sources, outputs) {
    const host = makeHost(sources, outputs);
    return ts.createProgram({ rootNames: [...roots, ...sources.keys()], options: OPTIONS, host });
}

function compile(args) {
    const [out, entry, ...rest] = args;
    const names = [...new Set([entry, ...rest])];
    const sources = new Map(names.map((name) =>
        [`/w/${name}`, fs.readFileSync(name, 'utf8').replace(/^\uFEFF/, '')]));
    const outputs = new Map();
    const program = makeProgram(sources, outputs);
    const found = findings(program, sources);
    if (found.length > 0) {
        const lines = found.slice(0, FINDINGS_MAX).map(tell);
        if (found.length > FINDINGS_MAX) {
            lines.push(`and ${found.length - FINDINGS_MAX} more`);
        }
        process.stderr.write(`${lines.join('\n')}\n`);
        return NO;
    }
    program.emit();
    fs.writeFileSync(out, bundle(path.posix.basename(entry, '.ts'), outputs));
    return 0;
}

// Compiles something while the snapshot is made: what it warms up is in the snapshot, too.
function warm() {
    const sources = new Map([['/w/warm.ts',
        "import * as fs from 'fs';\nconst n: number = fs.readFileSync(0, 'utf8').length;\n"
        + 'console.log(n, process.argv.length);\n']]);
    const found = findings(makeProgram(sources, new Map()), sources);
    if (found.length > 0) {
        throw new Error(found.map(tell).join('\n'));
    }
}

if (v8.startupSnapshot && v8.startupSnapshot.isBuildingSnapshot()) {
    warm();
    v8.startupSnapshot.setDeserializeMainFunction(() => {
        process.exitCode = compile(process.argv.slice(1));
    });
} else {
    process.exitCode = compile(process.argv.slice(2));
}
