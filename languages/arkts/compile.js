// Compiles ArkTS into one JavaScript file, with the rules of ArkTS 1.1 as errors.
//
//     node --snapshot-blob snapshot.blob --build-snapshot compile.js     once, while it is prepared
//     node --snapshot-blob snapshot.blob OUT.js ENTRY.ets SOURCE.ets...  for each submission
//
// The snapshot holds the compiler and its parsed libraries, which is most of the work of a start.
// Exit status 1: the compiler said no; its words are on stderr, one finding a line with file, line,
// column and rule. Files of a submission import each other by './name'; anything else that can be
// imported is declared in kit.d.ts.
'use strict';

const fs = require('fs');
const path = require('path');
const v8 = require('v8');

const PACKAGE = '/usr/local/lib/assize/node_modules/ohos-typescript/lib';
const NO = 1;
const FINDINGS_MAX = 100;
const LIB = 'lib.es2021.d.ts';
const OWN = ['assize.d.ts', 'kit.d.ts'];

// The packages come by text: while a snapshot is built nothing can be required but what is built in.
function loadCompiler() {
    const module = { exports: {} };
    const text = fs.readFileSync(path.join(PACKAGE, 'typescript.js'), 'utf8');
    const wrapped = new Function('module', 'exports', 'require', '__filename', '__dirname', text);
    wrapped(module, module.exports, require, path.join(PACKAGE, 'typescript.js'), PACKAGE);
    return module.exports;
}

const ts = loadCompiler();

const OPTIONS = {
    target: ts.ScriptTarget.ES2021,
    module: ts.ModuleKind.CommonJS,
    moduleResolution: ts.ModuleResolutionKind.NodeJs,
    lib: [LIB],
    types: [],
    strict: true,
    noImplicitReturns: true,
    skipLibCheck: true,
    newLine: ts.NewLineKind.LineFeed,
};

// Every library file by its name in the compiler's eyes, parsed once.
const parsed = new Map();

function keep(name, text) {
    const source = ts.createSourceFile(name, text, { languageVersion: OPTIONS.target }, true,
        name.endsWith('.ets') ? ts.ScriptKind.ETS : ts.ScriptKind.TS, OPTIONS);
    source.version = '1';
    parsed.set(name, source);
    return source;
}

function keepLib(name) {
    const full = `/lib/${name}`;
    if (parsed.has(full)) {
        return;
    }
    const source = keep(full, fs.readFileSync(path.join(PACKAGE, name), 'utf8'));
    for (const reference of source.libReferenceDirectives) {
        keepLib(`lib.${reference.fileName}.d.ts`);
    }
}

keepLib(LIB);
for (const name of OWN) {
    keep(`/own/${name}`, fs.readFileSync(path.resolve(name), 'utf8'));
}

// Names of modules outside the submission: those that kit.d.ts declares.
const ambient = new Set();
for (const statement of parsed.get('/own/kit.d.ts').statements) {
    if (ts.isModuleDeclaration(statement) && ts.isStringLiteral(statement.name)) {
        ambient.add(statement.name.text);
    }
}

function makeHost(sources, outputs) {
    const read = (name) => {
        if (parsed.has(name)) {
            return parsed.get(name);
        }
        const text = sources.get(name);
        if (text === undefined) {
            return undefined;
        }
        const source = ts.createSourceFile(name, text, { languageVersion: OPTIONS.target }, true,
            ts.ScriptKind.ETS, OPTIONS);
        source.version = '1';
        return source;
    };
    return {
        getSourceFile: read,
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
        createHash: (text) => String(text.length),
        writeFile: (name, text) => outputs.set(name, text),
        resolveModuleNames: (names, from) => names.map((name) => {
            const file = path.posix.join(path.posix.dirname(from), name);
            const full = file.endsWith('.ets') ? file : `${file}.ets`;
            return name.startsWith('.') && sources.has(full)
                ? { resolvedFileName: full, extension: '.ets', isExternalLibraryImport: false }
                : undefined;
        }),
    };
}

function tell(diagnostic) {
    const text = ts.flattenDiagnosticMessageText(diagnostic.messageText, '\n');
    const kind = diagnostic.category === ts.DiagnosticCategory.Warning ? 'warning' : 'error';
    if (!diagnostic.file || diagnostic.start === undefined) {
        return `${kind}: ${text}`;
    }
    const { line, character } = ts.getLineAndCharacterOfPosition(diagnostic.file, diagnostic.start);
    const name = diagnostic.file.fileName.replace(/^\/w\//, '');
    return `${name}:${line + 1}:${character + 1}: ${kind}: ${text}`;
}

// What the compiler and the rules of ArkTS have against the sources.
function findings(builder, sources) {
    const program = builder.getProgram();
    const found = [...program.getOptionsDiagnostics(), ...program.getGlobalDiagnostics()];
    for (const name of sources.keys()) {
        const source = program.getSourceFile(name);
        const syntax = program.getSyntacticDiagnostics(source);
        found.push(...syntax);
        if (syntax.length === 0) {
            found.push(...builder.getSemanticDiagnostics(source));
        }
    }
    if (found.some((each) => each.category === ts.DiagnosticCategory.Error)) {
        return found;
    }
    for (const name of sources.keys()) {
        found.push(...ts.ArkTSLinter_1_1.runArkTSLinter(
            builder, program.getSourceFile(name), undefined, 'ArkTS_1_1'));
    }
    return found;
}

// One file: each source a function of its own, called when it is first imported.
function bundle(entry, outputs) {
    const parts = [...outputs].map(([name, text]) => {
        const key = path.posix.basename(name, '.js');
        return `${JSON.stringify(key)}: (exports, require, module) => {\n${text}\n},`;
    });
    return `'use strict';\nassize.start({\n${parts.join('\n')}\n}, ${JSON.stringify(entry)});\n`;
}

function compile(args) {
    const [out, entry, ...rest] = args;
    const names = [...new Set([entry, ...rest])];
    const sources = new Map(names.map((name) =>
        [`/w/${name}`, fs.readFileSync(name, 'utf8').replace(/^\uFEFF/, '')]));
    const outputs = new Map();
    const host = makeHost(sources, outputs);
    const builder = ts.createIncrementalProgramForArkTs({
        rootNames: [...OWN.map((name) => `/own/${name}`), ...sources.keys()],
        options: OPTIONS,
        host,
    });
    const found = findings(builder, sources);
    const lines = found.slice(0, FINDINGS_MAX).map(tell);
    if (found.length > FINDINGS_MAX) {
        lines.push(`and ${found.length - FINDINGS_MAX} more`);
    }
    if (lines.length > 0) {
        process.stderr.write(`${lines.join('\n')}\n`);
    }
    if (found.some((each) => each.category === ts.DiagnosticCategory.Error)) {
        return NO;
    }
    for (const name of sources.keys()) {
        builder.getProgram().emit(builder.getProgram().getSourceFile(name), host.writeFile);
    }
    fs.writeFileSync(out, bundle(path.posix.basename(entry, '.ets'), outputs));
    return 0;
}

// Compiles something while the snapshot is made: what it warms up is in the snapshot, too.
function warm() {
    const name = '/w/warm.ets';
    const sources = new Map([[name, 'class A { n: number = 1; }\nlet a: A = new A();\n'
        + 'print(a.n.toString());\n']]);
    const outputs = new Map();
    const host = makeHost(sources, outputs);
    const builder = ts.createIncrementalProgramForArkTs({
        rootNames: [...OWN.map((each) => `/own/${each}`), name], options: OPTIONS, host });
    const found = findings(builder, sources);
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
