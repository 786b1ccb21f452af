/** Random choices that a seed repeats: equal seed, equal choices. */
export interface Random {
  /** An integer from 0 to `count` - 1. */
  below(count: number): number
  chance(probability: number): boolean
  /** @throws Error for an empty list */
  pick<T>(list: readonly T[]): T
  shuffled<T>(list: readonly T[]): T[]
}

export function seeded(seed: number): Random {
  // xorshift over 32 bits, begun far from 0 and warmed up so that neighbouring seeds differ at once.
  let state = Math.imul(seed + 1, 0x9e3779b1) | 1
  const next = () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 32
  }
  for (let warm = 0; warm < 8; warm++) next()
  const below = (count: number) => Math.floor(next() * count)
  return {
    below,
    chance: (probability) => next() < probability,
    pick(list) {
      if (list.length === 0) throw new Error('nothing to pick from')
      return list[below(list.length)] as (typeof list)[number] // within its bounds
    },
    shuffled(list) {
      const mixed = [...list]
      for (let last = mixed.length - 1; last > 0; last--) {
        const other = below(last + 1)
        const [a, b] = [mixed[last], mixed[other]] as [(typeof list)[number], (typeof list)[number]]
        mixed[last] = b
        mixed[other] = a
      }
      return mixed
    }
  }
}
