/** A run whose record is damaged stays listed, and cannot be run again, shown or changed: such requests are refused with the reason. Source: api-semantics 4.7, 4.8, 5; reliability P7. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { createEngine } from '../../../src/index.ts'
import type { Store } from '../../../src/store/open.ts'
import { served } from '../../api/client.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { oneIn } from '../../support/long.ts'
import { overwrite } from '../../support/store/damaged-records.ts'
import { copyOf, damage, diagnosis, livedInHome } from '../../support/store/lived-in-home.ts'

const parts: [what: string, change: (store: Store) => unknown][] = [
  ['its entry in the store', (store) => overwrite(store, 'runs', ['flaky', 'f1'])],
  [
    'the text it was started with',
    async (store) => {
      for (const hash of [...store.plans.getKeys()]) await overwrite(store, 'plans', String(hash))
    }
  ]
]

describe('a run that cannot be read in whole', () => {
  for (const [what, change] of oneIn(3, parts))
    it(`${what} is damaged: retry, reschedule, its text and a status by hand are refused with 503 and how to fix it, not as one that is not there`, async () => {
      const home = copyOf(await livedInHome())
      await damage(home, change)
      const engine = await createEngine({ home, defaultShell: 'sh' })
      const server = await served(engine)
      try {
        expect((await server.call('GET', '/dag-runs/flaky/f1')).status).to.equal(200)
        for (const [way, body] of [
          ['retry', {}],
          ['retry', { dagRunId: 'f9' }],
          ['reschedule', {}]
        ] as const) {
          const { status, json } = await server.call('POST', `/dag-runs/flaky/f1/${way}`, { body })
          expect([status, json.code], way).to.deep.equal([503, 'service_unavailable'])
          expect(json.message, way).to.equal(
            `run f1 of flaky cannot be run again: its record is damaged, ${what} cannot be read; ` +
              'troupe doctor says more: restore a backup, or start a new run'
          )
        }
        const refused = async (method: string, path: string, body?: object) => {
          const { status, json } = await server.call(method, `/dag-runs/flaky/f1${path}`, body ? { body } : {})
          return [status, json.message.split(':')[0]]
        }
        expect(await refused('GET', '/spec')).to.deep.equal([503, 'run f1 of flaky has no text that could be shown'])
        expect(await refused('PATCH', '/steps/flaky/status', { status: 4 })).to.deep.equal([
          503,
          'run f1 of flaky has no steps that could be set'
        ])
        for (const way of ['retry', 'reschedule'])
          expect((await server.call('POST', `/dag-runs/flaky/none/${way}`, { body: {} })).status, way).to.equal(404)
      } finally {
        await server.close()
        await engine.close()
      }
      expect((await diagnosis(home)).messages.join('\n')).to.contain('cannot be read')
    })

  it('what became of a step of a sub run cannot be read: the call fails with the reason, and the step is not done again', async () => {
    const home = temporaryFolder()
    const marks = () => readFileSync(join(home, 'marks'), 'utf8').split('\n').filter(Boolean)
    const inner = `name: inner\nsteps: ["echo one >>${home}/marks", "echo two >>${home}/marks; test -e ${home}/go"]\n`
    const first = await createEngine({ home, defaultShell: 'sh' })
    const key = await first.start({ spec: `name: outer\nsteps: [{name: p, call: inner}]\n---\n${inner}` })
    const [sub] = (await first.result(key)).nodes[0]?.calls?.subRuns ?? []
    if (!sub) throw new Error('nothing was called')
    await first.close()
    await damage(home, (store) => overwrite(store, 'nodes', ['inner', sub.dagRunId, 0]))
    writeFileSync(join(home, 'go'), '')
    const again = await createEngine({ home, defaultShell: 'sh' })
    const ofStep = { root: key, subRunId: sub.dagRunId, step: 'cmd_1' }
    try {
      const failed = await again.result(await again.retry(key))
      expect(failed.nodes[0]?.node.error).to.contain('is damaged, and what became of cmd_1 cannot be read')
      expect(marks()).to.deep.equal(['one', 'two'])
      const refused = await again.setNodeStatus(ofStep, 'succeeded').catch(({ code }: { code?: string }) => code)
      expect(refused).to.equal('service_unavailable')
    } finally {
      await again.close()
    }
    await diagnosis(home, { fix: true })
    const engine = await createEngine({ home, defaultShell: 'sh' })
    try {
      await engine.setNodeStatus(ofStep, 'succeeded')
      expect((await engine.result(await engine.retry(key))).run.status).to.equal('succeeded')
      expect(marks()).to.deep.equal(['one', 'two', 'two'])
    } finally {
      await engine.close()
    }
  })
})
