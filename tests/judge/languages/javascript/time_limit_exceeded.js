for (let i = 0; ; i++) {
    globalThis.last = i;
}
