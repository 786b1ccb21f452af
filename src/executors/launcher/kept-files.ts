/**
 * Files of the engine that a process started by it would get open: LMDB opens its data file without close-on-exec. A step
 * must not be able to write into the store by accident. Source: reliability P23.
 */
import { openSync, readdirSync, readFileSync } from 'node:fs'

/** O_CLOEXEC, as `/proc` writes it. */
const CLOSE_ON_EXEC = 0o2000000
/** Standard streams are given on purpose. */
const FIRST = 3

/**
 * What to put where a new process would find such a file: `stdio` entries from descriptor 3 on, the null device where there is
 * one and nothing elsewhere. Empty where the system does not say which files are open.
 */
export function withoutKeptFiles(): (number | 'ignore')[] {
  const most = limit()
  const kept = openFiles().filter((file) => file >= FIRST && file < most && !isClosedOnExec(file))
  if (kept.length === 0) return []
  nothing ??= openSync('/dev/null', 'r+')
  const entries: (number | 'ignore')[] = Array.from({ length: Math.max(...kept) - FIRST + 1 }, () => 'ignore') // left as it is
  for (const file of kept) entries[file - FIRST] = nothing
  return entries
}
let nothing: number | undefined

/** A file above the limit was handed down by the one who set it: it is no file of the engine, and nothing can be put there. */
function limit(): number {
  try {
    const [, soft = ''] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1')) ?? []
    return Number(soft) || Number.POSITIVE_INFINITY
  } catch {
    return Number.POSITIVE_INFINITY
  }
}

function openFiles(): number[] {
  try {
    return readdirSync('/proc/self/fdinfo').map(Number)
  } catch {
    return []
  }
}

function isClosedOnExec(file: number): boolean {
  try {
    const flags = /^flags:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${file}`, 'latin1'))?.[1] ?? '0'
    return (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) !== 0
  } catch {
    return true // it was that of the listing itself
  }
}
