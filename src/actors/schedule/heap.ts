/** A binary heap by instant. */
export interface Heap<T extends { next: number }> {
  /** The earliest one. */
  first(): T | undefined
  /** Removes the earliest one. */
  take(): T | undefined
  add(item: T): void
  clear(): void
}

export function heapOf<T extends { next: number }>(): Heap<T> {
  const items: T[] = []
  const at = (index: number) => items[index]?.next ?? Number.POSITIVE_INFINITY
  const swap = (a: number, b: number) => {
    const [x, y] = [items[a], items[b]]
    if (x && y) [items[a], items[b]] = [y, x]
  }
  return {
    first: () => items[0],
    take() {
      const first = items[0]
      const last = items.pop()
      if (first === undefined || last === undefined || first === last) return first
      items[0] = last
      for (let index = 0; ; ) {
        const left = 2 * index + 1
        const least = at(left + 1) < at(left) ? left + 1 : left
        if (at(least) >= at(index)) return first
        swap(index, least)
        index = least
      }
    },
    add(item) {
      items.push(item)
      for (let index = items.length - 1; index > 0; ) {
        const above = (index - 1) >> 1
        if (at(above) <= at(index)) return
        swap(index, above)
        index = above
      }
    },
    clear: () => void items.splice(0)
  }
}
