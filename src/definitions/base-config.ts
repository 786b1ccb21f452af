/** The base configuration: one file with defaults for every definition. Read again when it changes. Source: execution-semantics 1.2. */
import { createHash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import type { Clock } from '../clock.ts'
import type { ReadOptions } from '../definition/read.ts'
import { MAX_TEXT_BYTES } from '../definition/yaml/nesting.ts'
import { codeOf, messageOf } from '../errors.ts'
import { decoded } from '../store/files/utf8.ts'

/** The current file. */
export interface BaseConfig {
  /** Changes when the text does. */
  identity: string
  /** For the reader; absent: there is no such file. */
  base?: NonNullable<ReadOptions['base']>
  /** Why the existing file cannot be used. */
  problem?: string
}

/** Time stamps of file systems have a resolution of a few ms: a very recent one may be that of two texts. */
const SETTLED_MS = 100

const NONE: BaseConfig = { identity: '' }

// D708: the base file is checked whenever a definition is read
/** Returns a function that reads the file: it costs one `stat` while nothing has changed. @param path absolute */
export function openBaseConfig(path: string, clock: Clock): () => BaseConfig {
  let known: { stamp: string; config: BaseConfig } | undefined
  return () => {
    try {
      const stat = statSync(path, { throwIfNoEntry: false })
      if (!stat) return NONE
      const stamp = `${stat.ctimeMs}:${stat.size}:${stat.ino}`
      if (known?.stamp === stamp) return known.config
      if (!stat.isFile()) return unreadable('wanted a file, found something else')
      if (stat.size > MAX_TEXT_BYTES) return unreadable(`wanted at most ${MAX_TEXT_BYTES} bytes, found ${stat.size}`)
      const read = decoded(readFileSync(path))
      if (!('text' in read)) return unreadable(`${read.problem} (line ${read.line}, column ${read.column})`)
      const { text } = read
      const config = { identity: createHash('sha256').update(text).digest('base64'), base: { text, path } }
      known = clock.now() - stat.ctimeMs > SETTLED_MS ? { stamp, config } : undefined
      return config
    } catch (error) {
      return unreadable(codeOf(error) ?? messageOf(error))
    }
  }
}

const unreadable = (reason: string): BaseConfig => ({
  identity: `unreadable: ${reason}`,
  problem: `failed to read base config: ${reason}`
})
