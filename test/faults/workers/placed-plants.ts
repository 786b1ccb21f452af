/** Bugs of workers, of their engine and of what is between them, planted from outside. */
import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface PlacedPlant {
  /** Environment of the workers. */
  workerEnv?: Record<string, string>
  /** Changes what a worker says to the broker. */
  change?: (text: string) => string
  /** What dies in the fault that shows it. */
  kills?: 'workers' | 'engine'
  /** Done to a home whose process is dead. */
  between?: (home: string) => void
}

const intoEach = new URL('./late-spool.js', import.meta.url).href

export const PLACED_PLANTS: Record<string, PlacedPlant> = {
  'forgets its spool': {
    kills: 'workers',
    between: (home) => rmSync(join(home, 'worker', 'spool'), { recursive: true, force: true })
  },
  'claims tasks before they are on its disk': {
    kills: 'workers',
    workerEnv: { NODE_OPTIONS: `--import ${intoEach}` }
  },
  /** The next engine takes what was copied of a log for what was there before, and copies it again. */
  'copies logs twice': {
    kills: 'engine',
    between(home) {
      const logs = join(home, 'logs')
      for (const name of existsSync(logs) ? readdirSync(logs, { recursive: true, encoding: 'utf8' }) : []) {
        if (!name.endsWith('.out')) continue
        const log = join(logs, name)
        writeFileSync(log.replace(/out$/, FIRST), JSON.stringify({ stdout: statSync(log).size, stderr: 0 }))
      }
    }
  },
  /** It hears what is said to every worker. */
  'takes tasks of other homes': {
    change: (text) => text.replace(/^(SUB \S+\.down\.)[0-9a-f]{16}(?= )/gm, '$1*')
  }
}
/** Ending of the record of what was in a log before its first execution. */
const FIRST = '1.copied'
