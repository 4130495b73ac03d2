// assize-speed-ms: 250
import * as fs from 'fs';

function isRefused(): boolean {
  try {
    fs.readFileSync('/etc/passwd');
    return false;
  } catch (expected) {
    return true;
  }
}

let word: string = fs.readFileSync(0, 'utf8').trim();
let x: number = 1;
if (word === 'time') {
  for (;;) x = (Math.imul(x, 1103515245) + 12345) | 0;
}
if (word === 'memory') {
  const pieces: { text: string; more: number[] }[] = [];
  for (let i = 0; i < 3000000; i++) pieces.push({ text: `piece ${i}`, more: [i, i + 1, i + 2] });
  console.log(pieces.length);
}
if (word === 'crash') throw new Error('on purpose');
if (word === 'forbidden') word = isRefused() ? 'refused' : 'allowed';
if (word === 'speed') {
  for (let i = 0; i < 150000000; i++) x = (Math.imul(x, 1103515245) + 12345) | 0;
  if (x === 7) word = 'never';
}
console.log(word);
