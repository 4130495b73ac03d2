const count: number = 'text';
console.log(count);
