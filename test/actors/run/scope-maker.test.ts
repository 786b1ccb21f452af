/** What runs that are restored together share, and what is evaluated for each of them. Source: architecture 5, execution-semantics 3.3, 3.5.5. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Plan, RunRecord } from '../../../machines/vocabulary.ts'
import { openDiskSpace } from '../../../src/actors/pace/disk-space.ts'
import type { OpenRun } from '../../../src/actors/root/open-run.ts'
import { type Loaded, type ScopeParts, scopeMaker } from '../../../src/actors/run/scope-maker.ts'
import { systemClock } from '../../../src/clock.ts'
import { key, plan } from '../../support/charts/plans.ts'
import { temporaryFolder } from '../../support/homes.ts'

describe('actors › scopes of runs that are restored together', () => {
  const home = temporaryFolder()
  const sourceDir = join(home, 'dags')
  mkdirSync(sourceDir)
  let inherited = 0
  const makeScope = scopeMaker({
    logs: { write: () => {}, flushed: async () => {} },
    diskSpace: openDiskSpace(systemClock),
    nodesOf: () => [],
    folders: { own: (run) => join(home, 'work', run.dagRunId), make: async () => {} },
    environment: { PATH: process.env.PATH ?? '' },
    defaultShell: 'sh',
    inherited: async ({ record }) => ({
      values: { ...(record.caller ? { GIVEN: String(++inherited) } : {}) },
      data: new Set()
    })
  } satisfies ScopeParts)

  /** Scopes of runs `r1`, `r2`, ... of one plan. */
  async function scopesOf(wish: Partial<Plan>, records: Partial<RunRecord>[] = [{}, {}]) {
    const loaded = new Map<Plan, Promise<Loaded>>()
    const of = plan([], { sourceDir, ...wish })
    const runs = records.map((facts, index): OpenRun => {
      const { name, dagRunId } = key(`r${index + 1}`)
      const nodeLogs = join(home, 'logs', name, dagRunId, '1')
      const told = { status: 'running' as const, attempt: 1, createdAt: 0, params: [], plan: '', log: '', nodeLogs }
      return { plan: of, spec: '', seq: 0, ended: new Map(), record: { name, dagRunId, ...told, ...facts } }
    })
    const scopes = []
    for (const run of runs) {
      writeFileSync(join(sourceDir, '.env'), `READ=${scopes.length + 1}`)
      scopes.push(await makeScope(run, { loaded }))
    }
    return scopes
  }
  const readBy = (scopes: { env: Record<string, string> }[], name: string) => scopes.map(({ env }) => env[name])

  it('files that a definition names are read once for all its runs', async () => {
    const scopes = await scopesOf({ dotenv: ['.env'], env: [{ key: 'A', value: '${READ}' }] })
    expect(readBy(scopes, 'A')).to.deep.equal(['1', '1'])
    expect(scopes.map(({ key: { dagRunId } }) => dagRunId)).to.deep.equal(['r1', 'r2'])
  })
  it('a command runs for each of them, because its results may differ', async () => {
    const counter = join(home, 'counter')
    const scopes = await scopesOf({ env: [{ key: 'N', value: `\`echo x >>${counter}; wc -l <${counter}\`` }] })
    expect(readBy(scopes, 'N')).to.deep.equal(['1', '2'])
  })
  it('3.5.5 one that was called sees its own caller', async () => {
    const parent = key('p')
    const caller = { root: parent, parent, step: 'a', runAttempt: 1, attempt: 1, depth: 1 }
    const scopes = await scopesOf({ env: [{ key: 'A', value: '${GIVEN}' }] }, [{}, { caller }, { caller }])
    expect(readBy(scopes, 'A')).to.deep.equal(['', '1', '2'])
  })
  it('a run without a definition file has its own folder', async () => {
    const of = plan([])
    const { sourceDir: _, ...bare } = of
    const scopes = await scopesOf({ ...bare, sourceDir: undefined } as never)
    expect(new Set(scopes.map(({ workingDir }) => workingDir))).to.have.property('size', 2)
  })
})
