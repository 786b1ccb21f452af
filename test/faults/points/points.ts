/** The named points between a decision, its commit and its effects, recognized by the files that change there. Source: architecture 1, 4; reliability T2. */
import { basename } from 'node:path'

/** A call that changes a file. */
export interface WritableCall {
  name: string
  path: string
  args: unknown[]
}

/** Points that files are changed at, by what happens there. */
export const FILE_POINTS = {
  append: 'a turn goes into the write-ahead file',
  clear: 'the write-ahead file starts over: all of it is in LMDB',
  script: 'the script of a step is written',
  begin: 'an execution inside the engine puts down that it begins',
  claim: 'a job that never began is kept from beginning',
  end: 'an execution inside the engine puts down how it ended',
  forget: 'the record of an execution is removed',
  'definition.write': 'the text of a definition goes into a temporary file',
  'definition.link': 'a new or renamed definition gets its name',
  'definition.rename': 'the text of a definition is replaced',
  'definition.remove': 'a definition is removed, or loses its old name'
} as const
/** Points that are no files: what the launcher is told, transactions of the store, and answers to clients. */
export const OTHER_POINTS = {
  tell: 'the launcher is told of a job',
  commit: 'turns go into LMDB in one transaction',
  flush: 'they are on the disk',
  answer: 'a client is answered'
} as const

export type Point = keyof typeof FILE_POINTS | keyof typeof OTHER_POINTS
export type Side = 'before' | 'half' | 'after'

/** Every point with the sides that it has. */
export const CRASHES: { point: Point; side: Side }[] = [
  ...Object.keys(FILE_POINTS),
  ...Object.keys(OTHER_POINTS)
].flatMap((point) =>
  (point === 'append' || point === 'tell' ? ['before', 'half', 'after'] : ['before', 'after']).map((side) => ({
    point: point as Point,
    side: side as Side
  }))
)

/** Header of an entry of the write-ahead file; written alone it says that nothing follows. */
const NOTHING_BYTES = 8

/** The point that a call is at; undefined: none. */
export function pointOf({ name, path, args }: WritableCall): Point | undefined {
  const file = basename(path)
  if (file === 'write-ahead') {
    if (name === 'writeSync') return (args[1] as Buffer).length > NOTHING_BYTES ? 'append' : 'clear'
    return name === 'ftruncateSync' ? 'clear' : undefined
  }
  if (path.endsWith('.state')) {
    if (name === 'linkSync') return 'claim'
    if (name === 'writeSync') return 'begin'
    return name === 'appendFileSync' ? 'end' : name === 'unlink' ? 'forget' : undefined
  }
  if (/\.script(\.\w+)?$/.test(path)) return name === 'writeFileSync' ? 'script' : undefined
  if (!/\/dags\//.test(path)) return undefined
  if (name === 'openSync' && file.endsWith('.tmp')) return 'definition.write'
  if (name === 'linkSync') return 'definition.link'
  if (name === 'renameSync') return 'definition.rename'
  return name === 'rmSync' && file.endsWith('.yaml') ? 'definition.remove' : undefined
}
