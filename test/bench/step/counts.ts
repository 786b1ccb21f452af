/** What a run makes the engine do, counted: without private members of libraries, and without a line in the engine. */
import type { Profiler } from 'node:inspector'
import type { JournalRecord } from '../../../machines/vocabulary.ts'
import { asNode, asRun } from '../../../src/store/entries/entry-shape.ts'
import { entryText } from '../../../src/store/entries/entry-text.ts'
import { journalText } from '../../../src/store/entries/journal-text.ts'
import { type Encoder, sealed } from '../../../src/store/entries/sealed.ts'
import { openStore, type Store } from '../../../src/store/open.ts'
import { add } from './file-calls.ts'

export interface StoreCounts {
  /** How often an entry of each table was put or removed. */
  puts: Map<string, number>
  /** Bytes of the entries of the tables that have their own form. */
  bytes: Map<string, number>
}

/** A store that counts: for `EngineOptions.openStore`. */
export function countedStore(counts: StoreCounts) {
  return (...args: Parameters<typeof openStore>): Store => {
    const store = openStore(...args)
    for (const [table, database] of Object.entries(store) as [string, Partial<Writable>][]) {
      const { put, remove } = database
      if (table === 'root' || !put || !remove) continue
      database.put = (key, value, ...rest) => {
        add(counts.puts, table, 1)
        const encoder = ENCODERS[table]
        if (encoder) add(counts.bytes, table, sealed(encoder).encode(value).length)
        return put.call(database, key, value, ...rest)
      }
      database.remove = (...key) => {
        add(counts.puts, `${table} (removed)`, 1)
        return remove.call(database, ...key)
      }
    }
    return store
  }
}

interface Writable {
  put(key: unknown, value: unknown, ...rest: unknown[]): unknown
  remove(...key: unknown[]): unknown
}

const OLDER: Encoder<unknown> = {
  encode: () => Buffer.alloc(0),
  decode: () => {
    throw new Error('nothing is read here')
  }
}
const ENCODERS: Record<string, Encoder<unknown>> = {
  journal: journalText(OLDER) as Encoder<unknown>,
  nodes: entryText(OLDER, asNode) as Encoder<unknown>,
  runs: entryText(OLDER, asRun) as Encoder<unknown>
}

/** Whose transition it is, and at which event: `node attempt.ended`. */
export function transitionOf({ actor, event }: Pick<JournalRecord, 'actor' | 'event'>): string {
  const who = /\/call\b/.test(actor) ? 'call' : /\/(node|handler)\//.test(actor) ? 'node' : 'run'
  return `${who} ${event.startsWith('xstate.done.actor.') ? 'xstate.done.actor' : event}`
}

/** Functions of XState by what their calls are: V8 counts each call of each function, by name and file. */
const XSTATE: Record<string, string> = {
  Actor: 'actors created',
  _relay: 'events sent to actors',
  _process: 'events processed by actors',
  createMachineSnapshot: 'snapshots made'
}

/** Calls of the functions of XState, in its own words. Those that its next release names otherwise are missing. */
export function xstateCalls(scripts: Profiler.ScriptCoverage[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { functions } of scripts.filter(({ url }) => url.includes('/node_modules/xstate/')))
    for (const { functionName, ranges } of functions) {
      const name = XSTATE[functionName]
      if (name) add(counts, name, ranges[0]?.count ?? 0)
    }
  return counts
}

/** The functions of the engine that were called most, with the file that each is in. */
export function busiest(scripts: Profiler.ScriptCoverage[], least: number): [string, number][] {
  return scripts
    .filter(({ url }) => url.startsWith('file:') && !url.includes('/test/'))
    .flatMap(({ url, functions }) =>
      functions.map(({ functionName, ranges }): [string, number] => [
        `${functionName || '(anonymous)'} ${url.replace(/^.*\/dist\//, '').replace(/^.*\/node_modules\//, '')}`,
        ranges[0]?.count ?? 0
      ])
    )
    .filter(([, count]) => count >= least)
    .sort(([, a], [, b]) => b - a)
}
