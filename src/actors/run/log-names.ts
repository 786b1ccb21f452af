/** Paths of the files of a run and its nodes. Source: api-semantics 10.3, execution-semantics 14.2.1. */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { RunKey } from '../../../machines/vocabulary.ts'

const LONGEST = 100
const SAFE = /^[A-Za-z0-9_-][A-Za-z0-9_.-]{0,99}$/

/** A name as a file name: other characters become `_`, and a changed name gets a short hash to stay unique. */
export function fileSafe(name: string): string {
  if (SAFE.test(name)) return name
  const safe = name
    .replace(/[^A-Za-z0-9_.-]/g, '_')
    .replace(/^\.+/, '_')
    .slice(0, LONGEST)
  return `${safe}-${hashOf(name)}`
}

/** Six hexadecimal digits that stand for a name. */
export const hashOf = (name: string): string => createHash('sha256').update(name).digest('hex').slice(0, 6)

/** Folder of a run whose DAG has no `logDir`. */
export const runFolder = (logDir: string, { name, dagRunId }: RunKey): string => join(logDir, fileSafe(name), dagRunId)
/** @param folder the run's own */
export const runLogPath = (folder: string): string => join(folder, 'run.log')
// D715: logs of a sub run's first attempt are in the sub run's own folder
/**
 * Folder of the node logs of an attempt. The first attempt of a sub run uses the folder of its run log: there may be thousands, and
 * creating a folder takes as long as creating several files.
 * @param folder the run's own
 */
export const nodeLogFolder = (folder: string, attempt: number, isSub: boolean): string =>
  isSub && attempt === 1 ? folder : join(folder, String(attempt))

/** Paths of a node's two logs, and of its execution records. */
export interface NodeFiles {
  stdout: string
  stderr: string
  state(execution: number): string
}

// D954: log paths contain no times
export function nodeFiles(folder: string, step: string): NodeFiles {
  if (folder === latest?.folder && step === latest.step) return latest.files
  const base = `${folder}/${fileSafe(step)}`
  const files = { stdout: `${base}.out`, stderr: `${base}.err`, state: (execution: number) => `${base}.${execution}` }
  latest = { folder, step, files }
  return files
}
/** Cached: one transition needs it several times. */
let latest: { folder: string; step: string; files: NodeFiles } | undefined
