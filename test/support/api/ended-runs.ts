/** The API of a real engine, for the tests of a `describe` about runs that have ended: runs that fail, and what they left. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { temporaryFolder } from '../homes.ts'
import { type Json, liveApi } from './live-api.ts'

export function endedRuns() {
  const api = liveApi()
  const folder = temporaryFolder()
  const labels = ({ nodes }: Json) => nodes.map(({ statusLabel }: Json) => statusLabel)
  const marks = (name: string) => readFileSync(join(folder, name), 'utf8').trim().split('\n')
  /** Three steps, each leaving a mark; the second fails. */
  const threeSteps = (name: string) => `
name: ${name}
workingDir: ${folder}
steps:
  - {name: a, command: echo a >>${name}; echo one, output: A}
  - {name: b, command: 'echo b >>${name}; exit 1'}
  - {name: c, command: 'echo c \${A} >>${name}'}
`
  const failed = async (name: string): Promise<string> => {
    const id = await api.startedInline({ spec: threeSteps(name) })
    expect(labels(await api.ended(name, id))).to.deep.equal(['succeeded', 'failed', 'canceled'])
    return id
  }
  const sleeping = async (name: string) => {
    const id = await api.startedInline({ spec: `name: ${name}\nsteps:\n  - {name: s, command: sleep 30}\n` })
    return { id, end: () => api.call('POST', `/dag-runs/${name}/${id}/stop`).then(() => api.ended(name, id)) }
  }
  return { api, folder, codeOf: api.codeOf, labels, marks, threeSteps, failed, sleeping }
}
