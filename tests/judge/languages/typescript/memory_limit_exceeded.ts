const pieces: { number: number; text: string; more: number[] }[] = [];
for (let i = 0; i < 3000000; i++) {
    pieces.push({ number: i, text: `piece ${i}`, more: [i, i + 1, i + 2] });
}
console.log(pieces.length);
