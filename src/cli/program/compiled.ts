/**
 * A file of the program, and beside it what V8 made of it: to compile its megabytes again is most of a start, and each function
 * is compiled once more when a run first needs it. Only who may write the program can write that file, so it is believed as the
 * program is; a damaged one is found by its digest, one of another V8 or of other flags is refused by V8. Node 20 has nothing of its
 * own for this (`module.enableCompileCache` came with 22). Source: performance 5.
 */
import { createHash } from 'node:crypto'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { Script } from 'node:vm'

const DIGEST = 'sha256'
const DIGEST_BYTES = 32

/** One for each version of Node, so that two of them do not take turns. */
const place = (file: string) => `${file}.${process.version}-${process.arch}`

export interface Compiled {
  script: Script
  /** There is no compiled code of this version of Node, or it is damaged. */
  wanted: boolean
}

// D955: the program has its compiled code beside it
/** Reads a CommonJS program in ASCII, with its compiled code where there is one. */
export function compile(file: string): Compiled {
  const cachedData = kept(file)
  const text = `(function (exports, require, module, __filename, __dirname) {${readFileSync(file, 'latin1')}\n})`
  const script = new Script(text, { filename: file, ...(cachedData && { cachedData }) })
  return { script, wanted: cachedData === undefined }
}

/** Keeps what has been compiled until now, functions that were called included. Where it cannot be written, all goes on without. */
export function keep(file: string, script: Script): void {
  const data = script.createCachedData()
  const temporary = `${place(file)}.${process.pid}`
  try {
    writeFileSync(temporary, Buffer.concat([createHash(DIGEST).update(data).digest(), data]))
    renameSync(temporary, place(file))
  } catch {
    // a folder of root's, a full disk
  }
}

function kept(file: string): Buffer | undefined {
  try {
    const all = readFileSync(place(file))
    const data = all.subarray(DIGEST_BYTES)
    return createHash(DIGEST).update(data).digest().equals(all.subarray(0, DIGEST_BYTES)) ? data : undefined
  } catch {
    return undefined
  }
}
