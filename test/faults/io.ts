/** `fault-io`: the k-th change of a file or of the store fails, once or for a while, as on a full, broken or read-only disk. Source: reliability T4. */
import { join } from 'node:path'
import { openStore } from '../../src/store/open.ts'
import { ofAll } from '../support/long.ts'
import { seeded } from '../support/random.ts'
import { eventually } from '../support/waiting.ts'
import { checkDefinitions } from './check-definitions.ts'
import { checkHome } from './check-home.ts'
import type { ChildOptions } from './engine-child.ts'
import { startEngine, stepProcesses } from './engine-process.ts'
import { newHome, removeHome } from './home.ts'
import { openScript } from './script.ts'
import { Findings, type Suite } from './suite.ts'
import { marksOf, writeDefinitions } from './workload.ts'

type Fail = NonNullable<ChildOptions['fail']>

const CODES = ['ENOSPC', 'EIO', 'EROFS']
/** Of the store alone, while its write-ahead file can be written: an engine that misses the failure has acknowledged runs by then. */
const STORE_ALONE: Pick<Fail, 'count' | 'only'> = { count: 8, only: 'batch' }
/** One call, a few, or everything for a while; or the store alone. */
const LENGTHS: Pick<Fail, 'count' | 'forMs' | 'only'>[] = [{ count: 1 }, { count: 4 }, { forMs: 1_500 }, STORE_ALONE]
const SWALLOWS = 'swallows the errors of its store'
const DRAIN_MS = 60_000

export const io: Suite = {
  name: 'fault-io',
  promises: ['P1', 'P2', 'P4', 'P5', 'P6', 'P21', 'P22'],
  small: ofAll(2, 3),
  full: 120,
  plants: { [SWALLOWS]: 5, 'dies of the first error': 1 },
  async run({ seed, size, plant }) {
    const random = seeded(seed)
    const findings = new Findings()
    const counts: Record<string, number> = {}
    const [first, last] = await callsOf(findings)
    counts.calls = last
    for (let round = 0; round < size; round++) {
      // Plants fail where runs are accepted; everybody else anywhere.
      const from = plant ? first + 5 : 1 + random.below(last)
      const length = plant === SWALLOWS ? STORE_ALONE : plant ? { forMs: 1_500 } : random.pick(LENGTHS)
      await once({ from, code: random.pick(CODES), ...length }, plant, findings, counts)
      // A planted bug is found once; each round is another chance.
      if (plant && findings.found.length > 0) return { rounds: round + 1, counts, found: findings.found }
    }
    return { rounds: size, counts, found: findings.found }
  }
}

/** How many calls there are: until it serves, and in all. */
async function callsOf(findings: Findings): Promise<[number, number]> {
  const home = newHome()
  writeDefinitions(home, 'resume')
  const engine = await startEngine({ home })
  const first = await engine.calls()
  await openScript(home, findings).go(engine)
  const last = await engine.calls()
  await engine.close()
  removeHome(home)
  return [first, last]
}

async function once(
  fail: Fail,
  plant: string | undefined,
  all: Findings,
  counts: Record<string, number>
): Promise<void> {
  const home = newHome()
  writeDefinitions(home, 'resume')
  const findings = new Findings()
  const script = openScript(home, findings, true)
  const count = (name: string, more = 1) => {
    counts[name] = (counts[name] ?? 0) + more
  }
  const options: ChildOptions = { home, fail, ...(plant ? { plant } : {}) }
  const engine = await startEngine(options).catch((error: Error) => {
    count('refused to start')
    // An orderly refusal, with the reason: not a signal, and not silence.
    findings.check(/ended with 1: [\s\S]*\b(ENOSPC|EIO|EROFS)\b/.test(error.message), 'P22', error.message)
    return startEngine({ home })
  })
  await script.go(engine)
  if (engine.gone) findings.add('P22', `the engine ended with ${await engine.ended}: ${engine.log().slice(-500)}`)
  const last = engine.gone ? await startEngine({ home }) : engine
  await script.go(last)
  await eventually('all runs to end', async () => ((await script.open(last)) === 0 ? true : undefined), DRAIN_MS).catch(
    (error: Error) => findings.add('P6', error.message)
  )
  await last.close()
  checkDefinitions(home, script, findings)
  const store = openStore(join(home, 'data'), { readOnly: true })
  const { executions, interrupted } = checkHome(store, script.accounts, marksOf(home), false, findings)
  await store.root.close()
  count('executions', executions)
  count('interrupted', interrupted)
  const left = stepProcesses(home)
  findings.check(left.length === 0, 'P8', `${left.length} processes of steps live on, and every run has ended`)
  removeHome(home, left)
  const where = `${fail.code} ${fail.only ? 'of the store alone ' : ''}at call ${fail.from}, ${fail.forMs === undefined ? `${fail.count} times` : `for ${fail.forMs} ms`}`
  for (const { promise, what } of findings.found) all.add(promise, `${where}: ${what}`)
}
