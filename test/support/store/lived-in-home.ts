/** A home in which every kind of run has been: succeeded, failed and retried, stopped, with sub runs, handlers, a status set by hand, a rename. */
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../../../src/clock.ts'
import { readConfig } from '../../../src/config.ts'
import { examine, fixHome } from '../../../src/doctor/doctor.ts'
import { createEngine, type Engine } from '../../../src/index.ts'
import { openStore, type Store } from '../../../src/store/open.ts'
import { temporaryFolder } from '../homes.ts'
import { eventually } from '../waiting.ts'

export const OUTER = `
name: outer
steps: [{name: p, call: inner, parallel: {items: [a, b]}, params: "I=\${ITEM}"}]
---
name: inner
params: I=x
steps: [{name: say, command: echo $I, output: OUT}]
`
export const FLAKY = `
name: flaky
handlerOn: {exit: {command: echo bye}, failure: {command: echo alas}}
steps:
  - {name: good, command: echo hello}
  - {name: bad, command: exit 3, retryPolicy: {limit: 1, intervalSec: 0}, depends: good}
  - {name: never, command: echo no, depends: bad}
`
const LONG = 'name: long\nsteps: [{name: wait, command: sleep 30}]\n'
const BYNAME = 'steps: [{command: echo hi}]\n'

/** Runs everything, and leaves the home to nobody. */
export async function livedInHome(home = temporaryFolder()): Promise<string> {
  mkdirSync(join(home, 'dags'), { recursive: true })
  writeFileSync(join(home, 'dags', 'old.yaml'), BYNAME)
  const engine = await createEngine({ home, defaultShell: 'sh' })
  await runEverything(engine)
  await engine.close()
  return home
}

async function runEverything(engine: Engine): Promise<void> {
  await engine.result(await engine.start({ spec: OUTER, dagRunId: 'o1' }))
  const flaky = await engine.start({ spec: FLAKY, dagRunId: 'f1' })
  await engine.result(flaky)
  await engine.retry(flaky)
  await engine.result(flaky)
  await engine.setNodeStatus({ root: flaky, step: 'bad' }, 'succeeded')
  await engine.result(await engine.retry(flaky, { dagRunId: 'f2' }))
  const long = await engine.start({ spec: LONG, dagRunId: 'l1' })
  await eventually('the step', () => engine.run(long)?.nodes[0]?.node.status === 'running' || undefined)
  await engine.stop(long)
  await engine.result(long)
  await engine.result(await engine.start({ fileName: 'old', dagRunId: 'b1' }))
  await engine.renameDefinition('old', 'new')
}

/** A copy that a test may damage. Paths of logs are those of the first. */
export function copyOf(home: string): string {
  const copy = temporaryFolder()
  cpSync(home, copy, { recursive: true })
  return copy
}

/** Changes the store of a home that nobody owns. */
export async function damage(home: string, change: (store: Store) => unknown): Promise<void> {
  const store = openStore(join(home, 'data'))
  await change(store)
  await store.root.flushed
  await store.root.close()
}

/** What the doctor says, without what a test machine has to say of itself. */
export async function diagnosis(home: string, { fix = false } = {}) {
  const config = readConfig({ home }, {})
  const found = await (fix ? fixHome : examine)(config, systemClock)
  const ours = found.findings.filter(({ check }) => check !== 'disk')
  return {
    ...found,
    findings: ours,
    messages: ours.map(({ severity, check, message }) => `${severity} ${check}: ${message.replaceAll(home, '<home>')}`)
  }
}
