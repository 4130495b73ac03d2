// What a program may use beside the language: input, output and timing. The program behind these
// names is run.js.

/** The next line of standard input without its line break; null at the end. */
declare function readLine(): string | null;
/** All that is left of standard input. */
declare function readAll(): string;
/** Writes its arguments with spaces between and a line break behind. */
declare function print(...values: (string | number | boolean | bigint | null | undefined)[]): void;
/** Writes without a line break. */
declare function write(value: string | number | boolean | bigint): void;
/** Sends what was written so far: for programs that answer while they read. */
declare function flush(): void;
/** Ends the program at once with an exit status. */
declare function exit(status: number): never;

/** Words and numbers of standard input, one after another. */
declare class Scanner {
    constructor();
    hasNext(): boolean;
    next(): string;
    nextInt(): number;
    nextLong(): bigint;
    nextDouble(): number;
    hasNextLine(): boolean;
    nextLine(): string;
}

declare class Console {
    log(...values: (string | number | boolean | bigint | object | null | undefined)[]): void;
    info(...values: (string | number | boolean | bigint | object | null | undefined)[]): void;
    warn(...values: (string | number | boolean | bigint | object | null | undefined)[]): void;
    error(...values: (string | number | boolean | bigint | object | null | undefined)[]): void;
}
declare const console: Console;
