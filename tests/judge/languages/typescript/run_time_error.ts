const none: number[][] = [];
console.log(none[0].length);
