/** What an import says: one entry for each thing that comes over, was translated, or cannot. Source: docs/operating/coming-from-dagu.md. */

// D1743: the import is in the package of the engine: apart, it would make that 0.6 % smaller
export type Part = 'definitions' | 'base' | 'configuration' | 'flags' | 'history' | 'logs' | 'queues'
export const PARTS: readonly Part[] = ['definitions', 'base', 'configuration', 'flags', 'history', 'logs', 'queues']

/**
 * taken: it comes over as it is; translated: what it is called here; note: it comes over, and something is to be looked at;
 * left: it does not come over; there: it is here already, the same.
 */
export type Kind = 'taken' | 'translated' | 'note' | 'left' | 'there'

export interface Entry {
  part: Part
  kind: Kind
  /** The thing, such as `etl.yaml` or `run r1 of etl`. */
  what: string
  /** A sentence without an end: what was found, or what it became. */
  text?: string
  /** What to do. */
  advice?: string
  /** 1-based line in `what`. */
  line?: number
}

/** A remark on an entry beside what it became. */
export type Note = Required<Pick<Entry, 'kind' | 'text'>> & Pick<Entry, 'advice'>

export interface Report {
  entries: Entry[]
  add(entry: Entry): void
  count(part: Part, kind: Kind): number
}

export function openReport(): Report {
  const entries: Entry[] = []
  return {
    entries,
    add: (entry) => void entries.push(entry),
    count: (part, kind) => entries.filter((entry) => entry.part === part && entry.kind === kind).length
  }
}

// D1634: an import that leaves work ends with 3
/** Something does not come over, and somebody has to do something about it. */
export const needsWork = ({ entries }: Pick<Report, 'entries'>): boolean =>
  entries.some(({ kind, advice }) => kind === 'left' && advice !== undefined)

/** Place of an entry, such as `etl.yaml:12`. */
export const placeOf = ({ what, line }: Entry): string => (line === undefined ? what : `${what}:${line}`)
