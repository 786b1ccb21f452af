/** `fault-points`: the engine dies at each named point between a decision and its effects, under each `onInterrupt`. Source: reliability T2. */
import { join } from 'node:path'
import type { OnInterrupt } from '../../../machines/vocabulary.ts'
import { openStore } from '../../../src/store/open.ts'
import { ofAll } from '../../support/long.ts'
import { seeded } from '../../support/random.ts'
import { eventually } from '../../support/waiting.ts'
import { checkDefinitions } from '../check-definitions.ts'
import { checkHome } from '../check-home.ts'
import type { ChildOptions } from '../engine-child.ts'
import { type EngineProcess, startEngine, stepProcesses } from '../engine-process.ts'
import { newHome, removeHome } from '../home.ts'
import { openScript, type Script } from '../script.ts'
import { Findings, type Suite } from '../suite.ts'
import { marksOf, writeDefinitions } from '../workload.ts'
import { CRASHES, type Point, type Side } from './points.ts'

interface Crash {
  point: Point
  side: Side
}
interface Round {
  onInterrupt: OnInterrupt
  crash: Crash
  /** The next engine dies too, where it recovers. */
  again?: Crash
}

const POLICIES: OnInterrupt[] = ['resume', 'fail', 'rerun']
/** The points of recovery: the engine replays the rest, decides starts in progress, continues. */
const RECOVERY: Crash[] = CRASHES.filter(({ point }) => ['commit', 'append', 'clear', 'claim', 'tell'].includes(point))
const ROUNDS: Round[] = POLICIES.flatMap((onInterrupt) => [
  ...CRASHES.filter(({ point }) => point !== 'claim').map((crash) => ({ onInterrupt, crash })),
  ...RECOVERY.map((again) => ({ onInterrupt, crash: { point: 'tell', side: 'before' } as const, again }))
])

/** A bug, and the death that shows it. */
const PLANTS: Record<string, { engine: Partial<ChildOptions>; round: Round; nth: number }> = {
  'loses what is written ahead': {
    engine: { loses: 'append' },
    round: { onInterrupt: 'resume', crash: { point: 'tell', side: 'after' } },
    nth: 5
  },
  'answers before it is stored': {
    engine: { plant: 'answers before it is stored' },
    round: { onInterrupt: 'resume', crash: { point: 'answer', side: 'after' } },
    nth: 4
  }
}

const DRAIN_MS = 60_000

export const points: Suite = {
  name: 'fault-points',
  promises: ['P1', 'P2', 'P4', 'P5', 'P6', 'P8', 'P9', 'P10', 'P13', 'P14'],
  small: ofAll(3, 5),
  full: ROUNDS.length,
  plants: Object.fromEntries(Object.keys(PLANTS).map((plant) => [plant, 1])),
  async run({ seed, size, plant }) {
    const random = seeded(seed)
    const findings = new Findings()
    const counts: Record<string, number> = {}
    const planted = plant === undefined ? undefined : PLANTS[plant]
    const passed = planted ? new Map<Point, number>() : await passes(findings)
    const shuffled = random.shuffled(ROUNDS)
    for (let index = 0; index < size; index++) {
      const round = planted?.round ?? shuffled[index % shuffled.length]
      if (!round) continue
      const nth = planted?.nth ?? 1 + random.below(passed.get(round.crash.point) ?? 1)
      await once(round, nth, planted?.engine ?? {}, findings, counts)
    }
    return { rounds: size, counts, found: findings.found }
  }
}

/** How often each point is passed without a death. @throws Error for a point that is never passed */
async function passes(findings: Findings): Promise<Map<Point, number>> {
  const home = newHome()
  writeDefinitions(home, 'resume')
  const engine = await startEngine({ home })
  await openScript(home, findings).go(engine)
  await engine.close()
  removeHome(home)
  const wanted = CRASHES.map(({ point }) => point).filter((point) => point !== 'claim')
  const never = wanted.filter((point) => !engine.points.has(point))
  if (never.length > 0) throw new Error(`these points are never passed: ${never.join(', ')}`)
  return new Map(engine.points)
}

async function once(
  { onInterrupt, crash, again }: Round,
  nth: number,
  engineWith: Partial<ChildOptions>,
  findings: Findings,
  counts: Record<string, number>
): Promise<void> {
  const home = newHome()
  writeDefinitions(home, onInterrupt)
  const local = new Findings()
  const script = openScript(home, local)
  const count = (name: string) => {
    counts[name] = (counts[name] ?? 0) + 1
  }
  const first = await startEngine({ home, ...engineWith, crash: { ...crash, nth } })
  await script.go(first)
  if (first.gone) count('deaths')
  else await first.kill()
  if (again) {
    const second = await startEngine({ home, crash: { ...again, nth: 1 } }).catch(() => undefined)
    if (second) await Promise.race([second.ended, new Promise((resolve) => setTimeout(resolve, 1_500))])
    if (!second || second.gone) count('deaths in recovery')
    else await second.kill()
  }
  const last = await startEngine({ home })
  await script.go(last)
  await drained(last, script, local)
  await last.close()
  checkDefinitions(home, script, local)
  const store = openStore(join(home, 'data'), { readOnly: true })
  const { executions, interrupted } = checkHome(store, script.accounts, marksOf(home), onInterrupt === 'resume', local)
  await store.root.close()
  counts.executions = (counts.executions ?? 0) + executions
  counts.interrupted = (counts.interrupted ?? 0) + interrupted
  const left = stepProcesses(home)
  local.check(left.length === 0, 'P8', `${left.length} processes of steps live on, and every run has ended`)
  removeHome(home, left)
  const where = `died ${crash.side} ${crash.point} ${nth}${again ? `, then ${again.side} ${again.point}` : ''}, ${onInterrupt}`
  for (const { promise, what } of local.found) findings.add(promise, `${where}: ${what}`)
}

async function drained(engine: EngineProcess, script: Script, findings: Findings): Promise<void> {
  try {
    await eventually('all runs to end', async () => ((await script.open(engine)) === 0 ? true : undefined), DRAIN_MS)
  } catch (error) {
    findings.add('P8', (error as Error).message)
  }
}
