// The containers of @kit.ArkTS. Reading from an empty one gives undefined, as there.
'use strict';

function checkIndex(index, length) {
    if (!Number.isInteger(index) || index < 0 || index >= length) {
        throw new RangeError(`the index ${index} is outside 0..${length - 1}`);
    }
}

// What ArrayList, List and LinkedList share: an array, so that list[i] works.
class Sequence extends Array {
    static get [Symbol.species]() {
        return Array;
    }
    constructor() {
        super();
    }
    add(element) {
        this.push(element);
        return true;
    }
    insertAt(index, element) {
        checkIndex(index, this.length + 1);
        this.splice(index, 0, element);
    }
    get(index) {
        return this[index];
    }
    set(index, element) {
        checkIndex(index, this.length);
        this[index] = element;
        return element;
    }
    has(element) {
        return this.includes(element);
    }
    getIndexOf(element) {
        return this.indexOf(element);
    }
    getLastIndexOf(element) {
        return this.lastIndexOf(element);
    }
    getFirst() {
        return this[0];
    }
    getLast() {
        return this[this.length - 1];
    }
    removeByIndex(index) {
        checkIndex(index, this.length);
        return this.splice(index, 1)[0];
    }
    remove(element) {
        const index = this.indexOf(element);
        if (index >= 0) {
            this.splice(index, 1);
        }
        return index >= 0;
    }
    replaceAllElements(change) {
        for (let i = 0; i < this.length; i++) {
            this[i] = change(this[i], i, this);
        }
    }
    clear() {
        this.length = 0;
    }
    convertToArray() {
        return Array.from(this);
    }
    isEmpty() {
        return this.length === 0;
    }
    part(from, to) {
        const made = new this.constructor();
        for (let i = from; i < to && i < this.length; i++) {
            made.push(this[i]);
        }
        return made;
    }
}

class ArrayList extends Sequence {
    insert(element, index) {
        this.insertAt(index, element);
    }
    removeByRange(from, to) {
        this.splice(from, to - from);
    }
    subArrayList(from, to) {
        return this.part(from, to);
    }
    clone() {
        return this.part(0, this.length);
    }
    getCapacity() {
        return Math.max(10, this.length);
    }
    increaseCapacityTo() {}
    trimToCurrentLength() {}
}

class List extends Sequence {
    insert(element, index) {
        this.insertAt(index, element);
    }
    getSubList(from, to) {
        return this.part(from, to);
    }
}

class LinkedList extends Sequence {
    insert(index, element) {
        this.insertAt(index, element);
    }
    addFirst(element) {
        this.unshift(element);
    }
    removeFirst() {
        return this.shift();
    }
    removeLast() {
        return this.pop();
    }
    removeFirstFound(element) {
        return this.remove(element);
    }
    removeLastFound(element) {
        const index = this.lastIndexOf(element);
        if (index >= 0) {
            this.splice(index, 1);
        }
        return index >= 0;
    }
    clone() {
        return this.part(0, this.length);
    }
}

// A ring: both ends in constant time.
class Deque {
    #ring = new Array(8);
    #first = 0;
    length = 0;
    #grow() {
        const ring = new Array(this.#ring.length * 2);
        for (let i = 0; i < this.length; i++) {
            ring[i] = this.#at(i);
        }
        this.#ring = ring;
        this.#first = 0;
    }
    #at(index) {
        return this.#ring[(this.#first + index) & (this.#ring.length - 1)];
    }
    #put(index, element) {
        this.#ring[(this.#first + index) & (this.#ring.length - 1)] = element;
    }
    insertFront(element) {
        if (this.length === this.#ring.length) {
            this.#grow();
        }
        this.#first = (this.#first - 1) & (this.#ring.length - 1);
        this.length++;
        this.#put(0, element);
    }
    insertEnd(element) {
        if (this.length === this.#ring.length) {
            this.#grow();
        }
        this.#put(this.length++, element);
    }
    getFirst() {
        return this.length > 0 ? this.#at(0) : undefined;
    }
    getLast() {
        return this.length > 0 ? this.#at(this.length - 1) : undefined;
    }
    popFirst() {
        const element = this.getFirst();
        if (this.length > 0) {
            this.#put(0, undefined);
            this.#first = (this.#first + 1) & (this.#ring.length - 1);
            this.length--;
        }
        return element;
    }
    popLast() {
        const element = this.getLast();
        if (this.length > 0) {
            this.#put(--this.length, undefined);
        }
        return element;
    }
    has(element) {
        for (const each of this) {
            if (each === element) {
                return true;
            }
        }
        return false;
    }
    forEach(act) {
        for (let i = 0; i < this.length; i++) {
            act(this.#at(i), i, this);
        }
    }
    *[Symbol.iterator]() {
        for (let i = 0; i < this.length; i++) {
            yield this.#at(i);
        }
    }
}

class Queue extends Deque {
    add(element) {
        this.insertEnd(element);
        return true;
    }
    pop() {
        return this.popFirst();
    }
}

class Stack {
    #items = [];
    get length() {
        return this.#items.length;
    }
    push(item) {
        this.#items.push(item);
        return item;
    }
    pop() {
        return this.#items.pop();
    }
    peek() {
        return this.#items[this.#items.length - 1];
    }
    locate(element) {
        return this.#items.indexOf(element);
    }
    isEmpty() {
        return this.#items.length === 0;
    }
    forEach(act) {
        this.#items.forEach((value, index) => act(value, index, this));
    }
    [Symbol.iterator]() {
        return this.#items[Symbol.iterator]();
    }
}

// What HashMap and TreeMap share: `store` has the methods of Map.
class KeyedMap {
    constructor(store) {
        this.store = store;
    }
    get length() {
        return this.store.size;
    }
    isEmpty() {
        return this.store.size === 0;
    }
    hasKey(key) {
        return this.store.has(key);
    }
    hasValue(value) {
        for (const each of this.store.values()) {
            if (each === value) {
                return true;
            }
        }
        return false;
    }
    get(key) {
        return this.store.get(key);
    }
    set(key, value) {
        this.store.set(key, value);
        return this;
    }
    setAll(map) {
        map.forEach((value, key) => this.store.set(key, value));
    }
    remove(key) {
        const value = this.store.get(key);
        this.store.delete(key);
        return value;
    }
    replace(key, value) {
        const known = this.store.has(key);
        if (known) {
            this.store.set(key, value);
        }
        return known;
    }
    clear() {
        this.store.clear();
    }
    keys() {
        return this.store.keys();
    }
    values() {
        return this.store.values();
    }
    entries() {
        return this.store.entries();
    }
    forEach(act) {
        for (const [key, value] of this.store.entries()) {
            act(value, key, this);
        }
    }
    [Symbol.iterator]() {
        return this.store.entries();
    }
}

class KeyedSet {
    constructor(store) {
        this.store = store;
    }
    get length() {
        return this.store.size;
    }
    isEmpty() {
        return this.store.size === 0;
    }
    has(value) {
        return this.store.has(value);
    }
    add(value) {
        const before = this.store.size;
        this.store.set(value, value);
        return this.store.size > before;
    }
    remove(value) {
        return this.store.delete(value);
    }
    clear() {
        this.store.clear();
    }
    values() {
        return this.store.keys();
    }
    entries() {
        return this.store.entries();
    }
    forEach(act) {
        for (const value of this.store.keys()) {
            act(value, value, this);
        }
    }
    [Symbol.iterator]() {
        return this.store.keys();
    }
}

class HashMap extends KeyedMap {
    constructor() {
        super(new Map());
    }
}

class HashSet extends KeyedSet {
    constructor() {
        super(new Map());
    }
}

// A treap with the methods of Map, in the order of `before`. Its random numbers are always the same,
// so a program takes the same time in each run.
class Tree {
    #root = null;
    #seed = 88172645;
    #before;
    size = 0;
    constructor(before) {
        this.#before = before ?? ((a, b) => a < b);
    }
    #random() {
        this.#seed ^= this.#seed << 13;
        this.#seed ^= this.#seed >>> 17;
        this.#seed ^= this.#seed << 5;
        return this.#seed;
    }
    #find(key) {
        let node = this.#root;
        while (node !== null) {
            if (this.#before(key, node.key)) {
                node = node.left;
            } else if (this.#before(node.key, key)) {
                node = node.right;
            } else {
                return node;
            }
        }
        return null;
    }
    // Those before `key` and the others.
    #split(node, key) {
        if (node === null) {
            return [null, null];
        }
        if (this.#before(node.key, key)) {
            const [low, high] = this.#split(node.right, key);
            node.right = low;
            return [node, high];
        }
        const [low, high] = this.#split(node.left, key);
        node.left = high;
        return [low, node];
    }
    #join(low, high) {
        if (low === null || high === null) {
            return low ?? high;
        }
        if (low.rank > high.rank) {
            low.right = this.#join(low.right, high);
            return low;
        }
        high.left = this.#join(low, high.left);
        return high;
    }
    has(key) {
        return this.#find(key) !== null;
    }
    get(key) {
        return this.#find(key)?.value;
    }
    set(key, value) {
        const known = this.#find(key);
        if (known !== null) {
            known.value = value;
            return;
        }
        const [low, high] = this.#split(this.#root, key);
        const node = { key, value, rank: this.#random(), left: null, right: null };
        this.#root = this.#join(this.#join(low, node), high);
        this.size++;
    }
    delete(key) {
        let above = null;
        let node = this.#root;
        while (node !== null) {
            const left = this.#before(key, node.key);
            if (!left && !this.#before(node.key, key)) {
                break;
            }
            above = node;
            node = left ? node.left : node.right;
        }
        if (node === null) {
            return false;
        }
        const joined = this.#join(node.left, node.right);
        if (above === null) {
            this.#root = joined;
        } else if (above.left === node) {
            above.left = joined;
        } else {
            above.right = joined;
        }
        this.size--;
        return true;
    }
    clear() {
        this.#root = null;
        this.size = 0;
    }
    first() {
        let node = this.#root;
        while (node !== null && node.left !== null) {
            node = node.left;
        }
        return node?.key;
    }
    last() {
        let node = this.#root;
        while (node !== null && node.right !== null) {
            node = node.right;
        }
        return node?.key;
    }
    lower(key) {
        let found;
        let node = this.#root;
        while (node !== null) {
            if (this.#before(node.key, key)) {
                found = node.key;
                node = node.right;
            } else {
                node = node.left;
            }
        }
        return found;
    }
    higher(key) {
        let found;
        let node = this.#root;
        while (node !== null) {
            if (this.#before(key, node.key)) {
                found = node.key;
                node = node.left;
            } else {
                node = node.right;
            }
        }
        return found;
    }
    *#nodes() {
        const above = [];
        let node = this.#root;
        while (node !== null || above.length > 0) {
            while (node !== null) {
                above.push(node);
                node = node.left;
            }
            node = above.pop();
            yield node;
            node = node.right;
        }
    }
    *keys() {
        for (const node of this.#nodes()) {
            yield node.key;
        }
    }
    *values() {
        for (const node of this.#nodes()) {
            yield node.value;
        }
    }
    *entries() {
        for (const node of this.#nodes()) {
            yield [node.key, node.value];
        }
    }
}

class TreeMap extends KeyedMap {
    constructor(comparator) {
        super(new Tree(comparator));
    }
    getFirstKey() {
        return this.store.first();
    }
    getLastKey() {
        return this.store.last();
    }
    getLowerKey(key) {
        return this.store.lower(key);
    }
    getHigherKey(key) {
        return this.store.higher(key);
    }
}

class TreeSet extends KeyedSet {
    constructor(comparator) {
        super(new Tree(comparator));
    }
    getFirstValue() {
        return this.store.first();
    }
    getLastValue() {
        return this.store.last();
    }
    getLowerValue(key) {
        return this.store.lower(key);
    }
    getHigherValue(key) {
        return this.store.higher(key);
    }
    #pop(value) {
        if (this.store.size > 0) {
            this.store.delete(value);
        }
        return value;
    }
    popFirst() {
        return this.#pop(this.store.first());
    }
    popLast() {
        return this.#pop(this.store.last());
    }
}

// Pairs in the order of their number keys.
class PlainArray {
    #keys = [];
    #values = [];
    get length() {
        return this.#keys.length;
    }
    // The place of the key, or where it would stand.
    #place(key) {
        let low = 0;
        let high = this.#keys.length;
        while (low < high) {
            const middle = (low + high) >>> 1;
            if (this.#keys[middle] < key) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }
    isEmpty() {
        return this.#keys.length === 0;
    }
    has(key) {
        return this.getIndexOfKey(key) >= 0;
    }
    get(key) {
        return this.#values[this.getIndexOfKey(key)];
    }
    add(key, value) {
        const place = this.#place(key);
        const known = this.#keys[place] === key ? 1 : 0;
        this.#keys.splice(place, known, key);
        this.#values.splice(place, known, value);
    }
    remove(key) {
        const index = this.getIndexOfKey(key);
        return index >= 0 ? this.removeAt(index) : undefined;
    }
    removeAt(index) {
        this.#keys.splice(index, 1);
        return this.#values.splice(index, 1)[0];
    }
    removeRangeFrom(index, size) {
        checkIndex(index, this.length);
        this.#values.splice(index, size);
        return this.#keys.splice(index, size).length;
    }
    getIndexOfKey(key) {
        const place = this.#place(key);
        return this.#keys[place] === key ? place : -1;
    }
    getIndexOfValue(value) {
        return this.#values.indexOf(value);
    }
    getKeyAt(index) {
        return this.#keys[index];
    }
    getValueAt(index) {
        checkIndex(index, this.length);
        return this.#values[index];
    }
    setValueAt(index, value) {
        checkIndex(index, this.length);
        this.#values[index] = value;
    }
    clone() {
        const made = new PlainArray();
        this.#keys.forEach((key, index) => made.add(key, this.#values[index]));
        return made;
    }
    clear() {
        this.#keys = [];
        this.#values = [];
    }
    toString() {
        return this.#keys.map((key, index) => `${key}:${this.#values[index]}`).join(',');
    }
    forEach(act) {
        this.#keys.forEach((key, index) => act(this.#values[index], key, this));
    }
    *[Symbol.iterator]() {
        for (let i = 0; i < this.#keys.length; i++) {
            yield [this.#keys[i], this.#values[i]];
        }
    }
}

module.exports = {
    ArrayList, List, LinkedList, Deque, Queue, Stack, HashMap, HashSet, TreeMap, TreeSet, PlainArray,
};
