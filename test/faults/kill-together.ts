/**
 * kill -9 of an engine, of what holds its steps and of the steps themselves, in any order within 3 s. A step whose end was on record, or
 * was told by the API, is not taken for one with an unknown outcome. Source: reliability P4, P10.
 */
import { existsSync, mkdirSync } from 'node:fs'
import { join, sep } from 'node:path'
import type { Random } from '../support/random.ts'
import { eventually } from '../support/waiting.ts'
import { type EngineProcess, killAll, killHolders, openRunsOf, startEngine, stepProcesses } from './engine-process.ts'
import { newHome, removeHome } from './home.ts'
import { hasEnd, stateFiles } from './state-files.ts'
import type { Findings } from './suite.ts'

const RUNS = 12
const LONGEST_STEP_MS = 1_500
const LONGEST_PAUSE_MS = 1_000
const END_MS = 60_000
const UNKNOWN = /outcome unknown/

export async function killTogether(
  random: Random,
  rounds: number,
  findings: Findings,
  counts: Record<string, number>
): Promise<void> {
  if (rounds === 0) return
  const home = newHome()
  const words = join(home, 'words')
  mkdirSync(words)
  const count = (name: string, more: number) => {
    counts[name] = (counts[name] ?? 0) + more
  }
  let engine = await startEngine({ home })
  for (let round = 0; round < rounds; round++) {
    const ids = Array.from({ length: RUNS }, (_, at) => `k${round}-${at}`)
    const acknowledged = await started(engine, ids, words, random)
    await pause(random.below(LONGEST_PAUSE_MS))
    const told = new Set<string>()
    const { json } = await engine.call('GET', '/dag-runs/together?status=4')
    for (const { dagRunId } of json.dagRuns) told.add(dagRunId)
    const deaths = random.shuffled([() => engine.kill(), () => killHolders(home), () => killAll(stepProcesses(home))])
    for (const death of deaths) {
      await death()
      await pause(random.below(LONGEST_PAUSE_MS))
    }
    killHolders(home) // one that was started since
    killAll(stepProcesses(home))
    const recorded = new Set(
      stateFiles(home)
        .filter(hasEnd)
        .flatMap((path) => ids.filter((id) => isOf(path, id)))
    )
    engine = await startEngine({ home })
    await eventually(
      'the runs to end',
      async () => (await openRunsOf(engine, ['together'])) === 0 || undefined,
      END_MS
    ).catch((error: Error) => findings.add('P8', error.message))
    for (const id of acknowledged) {
      const answer = await engine.call('GET', `/dag-runs/together/${id}`)
      const node: { statusLabel?: string; error?: string } = answer.json?.dagRun?.nodes?.[0] ?? {}
      const isUnknown = UNKNOWN.test(node.error ?? '')
      const hasSpoken = existsSync(join(words, id))
      findings.check(!isUnknown || !recorded.has(id), 'P10', `the end of ${id} is on record: ${node.error}`)
      findings.check(!told.has(id) || node.statusLabel === 'succeeded', 'P4', `${id} had succeeded: ${node.error}`)
      findings.check(node.statusLabel !== 'succeeded' || hasSpoken, 'P4', `${id} succeeded without a word`)
      count(isUnknown ? (hasSpoken ? 'spokenUnknown' : 'unknown') : `together_${node.statusLabel}`, 1)
      if (recorded.has(id)) count('recorded', 1)
    }
    count('together', 1)
  }
  await engine.close()
  removeHome(home)
}

/** @returns the ids of those that were acknowledged */
async function started(engine: EngineProcess, ids: string[], words: string, random: Random): Promise<string[]> {
  const asked = ids.map(async (dagRunId) => {
    const seconds = (random.below(LONGEST_STEP_MS) / 1_000).toFixed(3)
    const command = `sleep ${seconds}; echo said > ${join(words, dagRunId)}`
    const spec = `name: together\nmaxActiveRuns: -1\nsteps: [{command: ${JSON.stringify(command)}}]`
    return (await engine.call('POST', '/dag-runs', { spec, dagRunId })).status === 200 ? [dagRunId] : []
  })
  return (await Promise.all(asked)).flat()
}

/** Logs of a run are in a folder of its id. */
const isOf = (path: string, id: string): boolean => path.split(sep).includes(id)

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
