/**
 * What tests on `troupe/testing` cost: `node dist/test/bench/testing/months.js [runs]`. A month of one daily workflow, then a month of 20 workflows with
 * so many runs together (default 20,000). Real time and processor time; each figure is beside its limit.
 */
import { testEngine } from '../../../src/testing/index.ts'

const wanted = Number(process.argv[2] ?? 20_000)
const DAG_COUNT = 20
const DAYS = 30
/** A run of each workflow every so many minutes. */
const every = Math.max(1, Math.round((DAYS * 1_440 * DAG_COUNT) / wanted))

async function month(dags: string[]): Promise<{ runs: number; ms: number; cpuMs: number }> {
  const engine = await testEngine({ dags, now: '2026-03-01' })
  try {
    engine.mock({ type: 'shell' }, '')
    const began = performance.now()
    const before = process.cpuUsage()
    await engine.advance(`${DAYS}d`)
    const { user, system } = process.cpuUsage(before)
    const runs = engine.runs({ limit: 1_000_000 }).length
    return { runs, ms: performance.now() - began, cpuMs: (user + system) / 1_000 }
  } finally {
    await engine.close()
  }
}

function row(what: string, { runs, ms, cpuMs }: Awaited<ReturnType<typeof month>>, limitMs: number): void {
  const figure = `${Math.round(ms)} ms, processor ${Math.round(cpuMs)} ms (at most ${limitMs} ms)`
  console.log(`${`${what}, ${runs} runs`.padEnd(50)} ${figure}`)
}

const STEPS = 'steps: [{name: s, command: x}]\n'
/** Minutes of a day that are `every` apart, as cron expressions would need many; so a workflow has one expression for each of its hours. */
const rhythm = (offset: number): string[] => {
  const minutes = Array.from({ length: Math.floor(1_440 / every) }, (_, n) => (n * every + offset) % 1_440)
  const hours = new Map<string, number[]>()
  for (const minute of minutes) {
    const of = String(minute % 60)
    hours.set(of, [...(hours.get(of) ?? []), Math.floor(minute / 60)])
  }
  return Array.from(hours, ([minute, hours]) => `${minute} ${hours.sort((a, b) => a - b).join(',')} * * *`)
}

const daily = await month([`name: daily\nschedule: "30 2 * * *"\n${STEPS}`])
row('a month of a daily workflow', daily, 500)
const many = await month(
  Array.from(
    { length: DAG_COUNT },
    (_, n) => `name: d${n}\nschedule: ${JSON.stringify(rhythm(n))}\nhistRetentionDays: 90\n${STEPS}`
  )
)
row(`a month of ${DAG_COUNT} workflows`, many, 30_000)
