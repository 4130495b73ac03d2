const words = require('fs').readFileSync(0, 'utf8').trim().split(/\s+/).map(Number);
console.log(words.slice(1).reduce((sum, value) => sum + value, 0));
