import * as fs from 'fs';

const words: number[] = fs.readFileSync(0, 'utf8').trim().split(/\s+/).map(Number);
console.log(words.slice(1).reduce((sum: number, value: number) => sum + value, 0));
