/**
 * `make sim`: plays seeds one after the other and prints one JSON line. Exit code 1 when a rule did not hold. An interrupt ends it
 * after the current seed. See README.md.
 */
import { BUGS, NO_BUG } from './bugs.ts'
import { readOptions } from './options.ts'
import { type Played, play } from './play.ts'

const { first, seeds, bug: wanted } = readOptions(process.env)
const bug = BUGS.find(({ name }) => name === wanted) ?? NO_BUG
const began = performance.now()
const counts: Record<string, number> = {}
const failures: Played[] = []
let played = 0
let isEnough = false
process.once('SIGINT', () => {
  isEnough = true
})
for (let seed = first; seed < first + seeds && !isEnough; seed++) {
  const result = await play(seed, bug)
  played++
  // Every 50th is played twice: equal seed, equal journal.
  if (seed % 50 === 0 && result.findings.length === 0) {
    const { digest } = await play(seed, bug)
    if (digest !== result.digest)
      failures.push({ ...result, findings: [{ rule: 'equal seed, equal journal', seen: `seed ${seed}` }] })
  }
  for (const [name, count] of Object.entries(result.counts))
    counts[name] = name === 'longestQueue' ? Math.max(counts[name] ?? 0, count) : (counts[name] ?? 0) + count
  if (result.findings.length === 0) continue
  failures.push(result)
  for (const { rule, seen } of result.findings.slice(0, 3)) console.error(`SEED=${seed}: ${rule}: ${seen}`)
  if (failures.length >= 10) break
}
const { user, system } = process.cpuUsage()
console.log(
  JSON.stringify({
    name: 'sim',
    seed: first,
    seeds: played,
    ok: failures.length === 0,
    failed: failures.map(({ seed, findings: [finding] }) => ({ seed, rule: finding?.rule })),
    counts,
    seconds: Math.round((performance.now() - began) / 100) / 10,
    cpuSeconds: Math.round((user + system) / 1e5) / 10
  })
)
process.exit(failures.length === 0 ? 0 : 1)
