// The containers of @kit.ArkTS that programs use, under the names of both kinds of import. kit.js
// holds them.

declare module '@kit.ArkTS' {
    export class ArrayList<T> {
        constructor();
        readonly length: number;
        [index: number]: T;
        add(element: T): boolean;
        insert(element: T, index: number): void;
        has(element: T): boolean;
        getIndexOf(element: T): number;
        getLastIndexOf(element: T): number;
        removeByIndex(index: number): T;
        remove(element: T): boolean;
        removeByRange(fromIndex: number, toIndex: number): void;
        replaceAllElements(change: (value: T, index: number) => T): void;
        forEach(act: (value: T, index: number) => void): void;
        sort(comparator?: (first: T, second: T) => number): void;
        subArrayList(fromIndex: number, toIndex: number): ArrayList<T>;
        clear(): void;
        clone(): ArrayList<T>;
        getCapacity(): number;
        increaseCapacityTo(capacity: number): void;
        trimToCurrentLength(): void;
        convertToArray(): T[];
        isEmpty(): boolean;
        [Symbol.iterator](): IterableIterator<T>;
    }

    export class List<T> {
        constructor();
        readonly length: number;
        [index: number]: T;
        add(element: T): boolean;
        insert(element: T, index: number): void;
        get(index: number): T;
        set(index: number, element: T): T;
        has(element: T): boolean;
        getIndexOf(element: T): number;
        getLastIndexOf(element: T): number;
        removeByIndex(index: number): T;
        remove(element: T): boolean;
        getFirst(): T;
        getLast(): T;
        replaceAllElements(change: (value: T, index: number) => T): void;
        forEach(act: (value: T, index: number) => void): void;
        sort(comparator: (first: T, second: T) => number): void;
        getSubList(fromIndex: number, toIndex: number): List<T>;
        clear(): void;
        convertToArray(): T[];
        isEmpty(): boolean;
        [Symbol.iterator](): IterableIterator<T>;
    }

    export class LinkedList<T> {
        constructor();
        readonly length: number;
        [index: number]: T;
        add(element: T): boolean;
        addFirst(element: T): void;
        insert(index: number, element: T): void;
        get(index: number): T;
        set(index: number, element: T): T;
        has(element: T): boolean;
        getIndexOf(element: T): number;
        getLastIndexOf(element: T): number;
        getFirst(): T;
        getLast(): T;
        removeByIndex(index: number): T;
        remove(element: T): boolean;
        removeFirst(): T;
        removeLast(): T;
        removeFirstFound(element: T): boolean;
        removeLastFound(element: T): boolean;
        clone(): LinkedList<T>;
        forEach(act: (value: T, index: number) => void): void;
        clear(): void;
        convertToArray(): T[];
        [Symbol.iterator](): IterableIterator<T>;
    }

    export class Deque<T> {
        constructor();
        readonly length: number;
        insertFront(element: T): void;
        insertEnd(element: T): void;
        getFirst(): T;
        getLast(): T;
        has(element: T): boolean;
        popFirst(): T;
        popLast(): T;
        forEach(act: (value: T, index: number) => void): void;
        [Symbol.iterator](): IterableIterator<T>;
    }

    export class Queue<T> {
        constructor();
        readonly length: number;
        add(element: T): boolean;
        getFirst(): T;
        pop(): T;
        forEach(act: (value: T, index: number) => void): void;
        [Symbol.iterator](): IterableIterator<T>;
    }

    export class Stack<T> {
        constructor();
        readonly length: number;
        push(item: T): T;
        pop(): T;
        peek(): T;
        locate(element: T): number;
        isEmpty(): boolean;
        forEach(act: (value: T, index: number) => void): void;
        [Symbol.iterator](): IterableIterator<T>;
    }

    export class HashMap<K, V> {
        constructor();
        readonly length: number;
        isEmpty(): boolean;
        hasKey(key: K): boolean;
        hasValue(value: V): boolean;
        get(key: K): V;
        set(key: K, value: V): Object;
        setAll(map: HashMap<K, V>): void;
        remove(key: K): V;
        replace(key: K, value: V): boolean;
        clear(): void;
        keys(): IterableIterator<K>;
        values(): IterableIterator<V>;
        entries(): IterableIterator<[K, V]>;
        forEach(act: (value: V, key: K) => void): void;
        [Symbol.iterator](): IterableIterator<[K, V]>;
    }

    export class HashSet<T> {
        constructor();
        readonly length: number;
        isEmpty(): boolean;
        has(value: T): boolean;
        add(value: T): boolean;
        remove(value: T): boolean;
        clear(): void;
        values(): IterableIterator<T>;
        entries(): IterableIterator<[T, T]>;
        forEach(act: (value: T, key: T) => void): void;
        [Symbol.iterator](): IterableIterator<T>;
    }

    /** `comparator(a, b)`: does a stand before b? Without: numbers and texts in ascending order. */
    export class TreeMap<K, V> {
        constructor(comparator?: (first: K, second: K) => boolean);
        readonly length: number;
        isEmpty(): boolean;
        hasKey(key: K): boolean;
        hasValue(value: V): boolean;
        get(key: K): V;
        getFirstKey(): K;
        getLastKey(): K;
        getLowerKey(key: K): K;
        getHigherKey(key: K): K;
        set(key: K, value: V): Object;
        setAll(map: TreeMap<K, V>): void;
        remove(key: K): V;
        replace(key: K, value: V): boolean;
        clear(): void;
        keys(): IterableIterator<K>;
        values(): IterableIterator<V>;
        entries(): IterableIterator<[K, V]>;
        forEach(act: (value: V, key: K) => void): void;
        [Symbol.iterator](): IterableIterator<[K, V]>;
    }

    /** `comparator(a, b)`: does a stand before b? */
    export class TreeSet<T> {
        constructor(comparator?: (first: T, second: T) => boolean);
        readonly length: number;
        isEmpty(): boolean;
        has(value: T): boolean;
        add(value: T): boolean;
        remove(value: T): boolean;
        getFirstValue(): T;
        getLastValue(): T;
        getLowerValue(key: T): T;
        getHigherValue(key: T): T;
        popFirst(): T;
        popLast(): T;
        clear(): void;
        values(): IterableIterator<T>;
        entries(): IterableIterator<[T, T]>;
        forEach(act: (value: T, key: T) => void): void;
        [Symbol.iterator](): IterableIterator<T>;
    }

    export class PlainArray<T> {
        constructor();
        readonly length: number;
        isEmpty(): boolean;
        has(key: number): boolean;
        get(key: number): T;
        add(key: number, value: T): void;
        remove(key: number): T;
        removeAt(index: number): T;
        removeRangeFrom(index: number, size: number): number;
        getIndexOfKey(key: number): number;
        getIndexOfValue(value: T): number;
        getKeyAt(index: number): number;
        getValueAt(index: number): T;
        setValueAt(index: number, value: T): void;
        clone(): PlainArray<T>;
        clear(): void;
        forEach(act: (value: T, index: number) => void): void;
        [Symbol.iterator](): IterableIterator<[number, T]>;
    }
}

declare module '@ohos.util.ArrayList' {
    import { ArrayList } from '@kit.ArkTS';
    export default ArrayList;
}

declare module '@ohos.util.List' {
    import { List } from '@kit.ArkTS';
    export default List;
}

declare module '@ohos.util.LinkedList' {
    import { LinkedList } from '@kit.ArkTS';
    export default LinkedList;
}

declare module '@ohos.util.Deque' {
    import { Deque } from '@kit.ArkTS';
    export default Deque;
}

declare module '@ohos.util.Queue' {
    import { Queue } from '@kit.ArkTS';
    export default Queue;
}

declare module '@ohos.util.Stack' {
    import { Stack } from '@kit.ArkTS';
    export default Stack;
}

declare module '@ohos.util.HashMap' {
    import { HashMap } from '@kit.ArkTS';
    export default HashMap;
}

declare module '@ohos.util.HashSet' {
    import { HashSet } from '@kit.ArkTS';
    export default HashSet;
}

declare module '@ohos.util.TreeMap' {
    import { TreeMap } from '@kit.ArkTS';
    export default TreeMap;
}

declare module '@ohos.util.TreeSet' {
    import { TreeSet } from '@kit.ArkTS';
    export default TreeSet;
}

declare module '@ohos.util.PlainArray' {
    import { PlainArray } from '@kit.ArkTS';
    export default PlainArray;
}
