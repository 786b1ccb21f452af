/** Runs that fail and can be retried with success, and the marks that their steps leave. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import type { RunKey } from '../../../machines/vocabulary.ts'
import { liveEngine } from './live.ts'

export function retriedRuns() {
  const live = liveEngine()
  /** A diamond whose node `b` fails until the file `ok` is there; every execution leaves a mark. */
  const diamond = (folder: string, more = '') => `
type: graph
workingDir: ${folder}
params: P=1
${more}
steps:
  - {name: a, command: echo a >>marks; echo $P-out, output: A}
  - {name: b, command: 'echo b >>marks; [ -e ok ]', depends: a}
  - {name: c, command: echo c >>marks, depends: a}
  - {name: d, command: 'echo "d \${A}" >>marks', depends: [b, c]}
`
  const marks = (folder: string) => readFileSync(join(folder, 'marks'), 'utf8').trim().split('\n')

  async function failed(folder: string, more?: string): Promise<RunKey> {
    const run = await live.run(diamond(folder, more), { params: 'P=5' })
    expect(run.statuses).to.deep.equal(['succeeded', 'failed', 'succeeded', 'canceled'])
    rmSync(join(folder, 'marks'))
    writeFileSync(join(folder, 'ok'), '')
    return { name: run.run.name, dagRunId: run.run.dagRunId }
  }
  return { live, marks, failed }
}
