// Few and large objects: many small ones keep the collector busy until the time limit is reached first.
const pieces: { text: string; more: number[] }[] = [];
for (let i = 0; i < 30000; i++) {
    pieces.push({ text: `piece ${i}`, more: new Array<number>(10000).fill(i + 0.5) });
}
console.log(pieces.length);
