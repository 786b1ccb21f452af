/** What one invocation of the benchmark was asked to do. */
import { parseArgs } from 'node:util'

export interface Options {
  /** Names of the questions to ask; empty: all. */
  only: string[]
  json: boolean
  /** Ask Dagu alone. */
  peerOnly: boolean
  /** How often each question is asked of each engine. */
  rounds: number
  /** Factor for all counts. */
  scale: number
  /** Folder with a `dagu`, `none` to leave Dagu out; absent: looked for. */
  dagu?: string
}

export const USAGE = `usage: node dist/test/bench/main.js [--only NAME,NAME] [--json] [--peer-only]
environment: ROUNDS (3), SCALE (1), BENCH_DAGU (a folder with dagu, or none)`

/** @param known names of the questions. @throws Error naming the option, what was wanted and what was found */
export function readOptions(args: string[], env: NodeJS.ProcessEnv, known: string[]): Options {
  const { values } = parseArgs({
    args,
    options: { only: { type: 'string' }, json: { type: 'boolean' }, 'peer-only': { type: 'boolean' } }
  })
  const only = values.only?.split(',').filter(Boolean) ?? []
  const unknown = only.filter((name) => !known.includes(name))
  if (unknown.length > 0) throw new Error(`--only: wanted some of ${known.join(', ')}, found ${unknown.join(', ')}`)
  const peerOnly = values['peer-only'] ?? false
  if (peerOnly && env.BENCH_DAGU === 'none') throw new Error('--peer-only: wanted Dagu, found BENCH_DAGU=none')
  return {
    only,
    json: values.json ?? false,
    peerOnly,
    rounds: Math.ceil(positive('ROUNDS', env.ROUNDS, 3)),
    scale: positive('SCALE', env.SCALE, 1),
    ...(env.BENCH_DAGU ? { dagu: env.BENCH_DAGU } : {})
  }
}

function positive(name: string, text: string | undefined, otherwise: number): number {
  const value = text ? Number(text) : otherwise
  if (Number.isFinite(value) && value > 0) return value
  throw new Error(`${name}: wanted a positive number, found ${JSON.stringify(text)}`)
}
