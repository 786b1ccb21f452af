/** Lanes of the actors that messages go between: one for each, or one for a family of them where there are many. Pure computations. */
import type { Message } from '../../answers.ts'

export type Family = 'outside' | 'run' | 'steps' | 'calls'

export interface Lane {
  /** Words of its head, and the whole of them. */
  text: string
  title: string
  /** The family that is folded into it. */
  family?: Family
}

export interface Lanes {
  /** In their order. */
  lanes: Lane[]
  /** The lane of an actor, by its address. */
  of: ReadonlyMap<string, number>
  /** What can be folded, with its number of actors; none where there are few. */
  families: { family: Family; name: string; count: number }[]
}

// D1759: lanes are folded by family where there are many
/** More actors than this are grouped. */
const MANY = 12

const NAMES: readonly [Family, string][] = [
  ['outside', 'Outside'],
  ['run', 'Run'],
  ['steps', 'Steps'],
  ['calls', 'Calls']
]

/**
 * Outside are the queue, the scheduler, the clock and processes; calls are what steps start in another run, and those runs.
 * @param text the words for an address, as those of the journal are
 */
function familyOf(text: string): Family {
  if (text === 'run') return 'run'
  if (/^(?:node|handler)\/[^/]*$/.test(text)) return 'steps'
  return /^(?:node|handler|run)\//.test(text) ? 'calls' : 'outside'
}

/** @param wordsOf the words for an address @param open families that are not folded */
export function lanesOf(
  messages: readonly Message[],
  wordsOf: (address: string) => string,
  open: ReadonlySet<Family>
): Lanes {
  const actors = [...new Set(messages.flatMap(({ from, to }) => [from, to]))].map((address) => {
    const text = wordsOf(address)
    return { address, text, family: familyOf(text) }
  })
  if (actors.length <= MANY) {
    const lanes = actors.map(({ text }) => ({ text, title: text }))
    return { lanes, of: new Map(actors.map(({ address }, lane) => [address, lane])), families: [] }
  }
  const lanes: Lane[] = []
  const of = new Map<string, number>()
  const families: Lanes['families'] = []
  for (const [family, name] of NAMES) {
    const members = actors.filter((actor) => actor.family === family)
    const count = members.length
    if (count > 1) families.push({ family, name, count })
    const isFolded = count > 1 && !open.has(family)
    for (const { address, text } of members) {
      of.set(address, lanes.length)
      if (!isFolded) lanes.push({ text: shortName(text), title: text })
    }
    if (isFolded) lanes.push({ text: `${name}: ${count}`, title: `${name}: ${count} actors`, family })
  }
  return { lanes, of, families }
}

/** The name of an actor among those of its family: `load` for `node/load`, `load, 2` for its second execution. */
export const shortName = (text: string): string =>
  text.replace(/^(?:node|handler|run)\//, '').replace(/\/attempt\/(\d+)/, ', $1')
