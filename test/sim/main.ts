/**
 * `make sim`: plays seeds one after the other and prints one JSON line for each part. Exit code 1 when a rule did not hold. An interrupt
 * ends it after the current seed. See README.md.
 */
import { BUGS, NO_BUG } from './bugs.ts'
import type { Finding } from './findings.ts'
import { readOptions } from './options.ts'
import { play } from './play.ts'
import { NO_BUG as NO_WORKER_BUG, BUGS as WORKER_BUGS } from './workers/bugs.ts'
import { playWorkers } from './workers/play.ts'

interface Played {
  findings: readonly Finding[]
  digest: string
  counts: Record<string, number>
}
interface Part {
  /** As in `PART`. */
  name: string
  /** Of its line. */
  title: string
  bugs: readonly string[]
  play(seed: number): Promise<Played>
}

const { first, seeds, bug: wanted, part: only, isTraced } = readOptions(process.env)
const bug = BUGS.find(({ name }) => name === wanted) ?? NO_BUG
const workerBug = WORKER_BUGS.find(({ name }) => name === wanted) ?? NO_WORKER_BUG
const trace = isTraced ? (line: string) => console.error(line) : undefined
const parts: Part[] = [
  { name: 'schedules', title: 'sim', bugs: BUGS.map(({ name }) => name), play: (seed) => play(seed, bug) },
  {
    name: 'workers',
    title: 'sim-workers',
    bugs: WORKER_BUGS.map(({ name }) => name),
    play: (seed) => playWorkers(seed, workerBug, trace)
  }
]
let isEnough = false
process.once('SIGINT', () => {
  isEnough = true
})

/** @returns whether every rule held */
async function playAll({ title, play }: Part): Promise<boolean> {
  const began = performance.now()
  const before = process.cpuUsage()
  const counts: Record<string, number> = {}
  const failures: { seed: number; findings: readonly Finding[] }[] = []
  let played = 0
  for (let seed = first; seed < first + seeds && !isEnough; seed++) {
    const result = await play(seed)
    played++
    // Every 50th is played twice: equal seed, equal journal.
    if (seed % 50 === 0 && result.findings.length === 0) {
      const { digest } = await play(seed)
      if (digest !== result.digest)
        failures.push({ seed, findings: [{ rule: 'equal seed, equal journal', seen: `seed ${seed}` }] })
    }
    for (const [name, count] of Object.entries(result.counts))
      counts[name] = name.startsWith('longest') ? Math.max(counts[name] ?? 0, count) : (counts[name] ?? 0) + count
    if (result.findings.length === 0) continue
    failures.push({ seed, findings: result.findings })
    for (const { rule, seen } of result.findings.slice(0, 3)) console.error(`SEED=${seed}: ${rule}: ${seen}`)
    if (failures.length >= 10) break
  }
  const { user, system } = process.cpuUsage(before)
  console.log(
    JSON.stringify({
      name: title,
      seed: first,
      seeds: played,
      ok: failures.length === 0,
      failed: failures.map(({ seed, findings: [finding] }) => ({ seed, rule: finding?.rule })),
      counts,
      seconds: Math.round((performance.now() - began) / 100) / 10,
      cpuSeconds: Math.round((user + system) / 1e5) / 10
    })
  )
  return failures.length === 0
}

let isWhole = true
for (const part of parts)
  if ((only ?? part.name) === part.name && (wanted === undefined || part.bugs.includes(wanted)))
    isWhole = (await playAll(part)) && isWhole
process.exit(isWhole ? 0 : 1)
