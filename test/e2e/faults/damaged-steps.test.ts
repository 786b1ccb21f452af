/** Records that cannot be read are reported as such: a step that ran is never shown as one that did not. Source: reliability P4, P7; api-semantics 3.7, 3.8, 5. */
import { expect } from 'chai'
import { createEngine, type Engine } from '../../../src/index.ts'
import type { Store } from '../../../src/store/open.ts'
import { served } from '../../api/client.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { itLong } from '../../support/long.ts'
import { seeded } from '../../support/random.ts'
import { bytesOf, overwrite } from '../../support/store/damaged-records.ts'
import { copyOf, damage, diagnosis, livedInHome } from '../../support/store/lived-in-home.ts'

type Answer = Awaited<ReturnType<Awaited<ReturnType<typeof served>>['call']>>

/** Damages a copy of a home, and looks at it over the API. */
async function lookedAt(
  home: string,
  change: (store: Store) => unknown,
  look: (call: (method: string, path: string, body?: object) => Promise<Answer>, engine: Engine) => Promise<void>
) {
  await damage(home, change)
  const engine = await createEngine({ home, defaultShell: 'sh' })
  const server = await served(engine)
  try {
    await look((method, path, body) => server.call(method, path, body ? { body } : {}), engine)
  } finally {
    await server.close()
    await engine.close()
  }
}

describe('a step whose record cannot be read', () => {
  const run = '/dag-runs/flaky/f1'
  const sentence =
    'state unreadable: the record of run f1 of flaky is damaged, and what became of good cannot be read; ' +
    'restore a backup, or let troupe doctor --fix set it aside (while no engine is running), then set its status by hand'
  let whole: string
  before(async () => {
    whole = await livedInHome()
  })

  it('is shown with its step, failed, `state unreadable`, wherever steps are shown, and its run lists it in `errors`', async () => {
    await lookedAt(
      copyOf(whole),
      (store) => overwrite(store, 'nodes', ['flaky', 'f1', 0]),
      async (call, engine) => {
        const { json } = await call('GET', run)
        const { nodes, errors, statusLabel } = json.dagRunDetails
        expect(errors).to.deep.equal(['state unreadable: step good'])
        expect(statusLabel, 'its own record is whole').to.equal(
          engine.record({ name: 'flaky', dagRunId: 'f1' })?.status
        )
        const [good] = nodes
        expect(good.step).to.include({ name: 'good', command: 'echo' })
        expect(good).to.include({ statusLabel: 'failed', error: 'state unreadable', startedAt: '', finishedAt: '' })
        const actors = await call('GET', `${run}/actors`)
        expect(actors.json.nodes[0]).to.include({ step: 'good', statusLabel: 'failed', error: 'state unreadable' })
        const explained = await call('GET', `${run}/explain`)
        expect(explained.json.reasons.map(({ cause }: { cause: string }) => cause)).to.include('state_unreadable')
      }
    )
  })

  it('its log, its reasons, a retry and a status by hand are refused with one sentence; the other steps are as they were', async () => {
    await lookedAt(
      copyOf(whole),
      (store) => overwrite(store, 'nodes', ['flaky', 'f1', 0]),
      async (call) => {
        const asked: [string, string, object?][] = [
          ['GET', `${run}/steps/good/log`],
          ['GET', `${run}/steps/good/log?stream=stderr`],
          ['GET', `${run}/explain?step=good`],
          ['POST', `${run}/retry`, {}],
          ['POST', `${run}/retry`, { dagRunId: 'f9' }],
          ['POST', `${run}/retry`, { stepName: 'bad' }],
          ['PATCH', `${run}/steps/good/status`, { status: 4 }]
        ]
        for (const [method, path, body] of asked) {
          const { status, json } = await call(method, path, body)
          expect([status, json.code, json.message], `${method} ${path}`).to.deep.equal([
            503,
            'service_unavailable',
            sentence
          ])
        }
        expect((await call('GET', `${run}/steps/bad/log`)).status).to.equal(200)
        expect((await call('PATCH', `${run}/steps/bad/status`, { status: 4 })).status).to.equal(200)
      }
    )
  })

  itLong('a handler is shown the same way', async () => {
    await lookedAt(
      copyOf(whole),
      (store) => overwrite(store, 'nodes', ['flaky', 'f1', 'onExit']),
      async (call) => {
        const { dagRunDetails } = (await call('GET', run)).json
        expect(dagRunDetails.onExit).to.include({ statusLabel: 'failed', error: 'state unreadable' })
        expect(dagRunDetails.errors).to.deep.equal(['state unreadable: step onExit'])
        expect((await call('GET', `${run}/steps/onExit/log`)).status).to.equal(503)
      }
    )
  })

  it('a step of a run that has succeeded whose entry is gone, as its key was damaged, does not become one that never ran', async () => {
    await lookedAt(
      copyOf(whole),
      ({ nodes }) => nodes.remove(['new', 'b1', 0]),
      async (call) => {
        const { nodes, errors } = (await call('GET', '/dag-runs/new/b1')).json.dagRunDetails
        expect(nodes[0]).to.include({ statusLabel: 'failed', error: 'state unreadable' })
        expect(errors).to.have.length(1)
      }
    )
  })

  itLong('what a step has called cannot be read: its run says so', async () => {
    await lookedAt(
      copyOf(whole),
      async (store) => {
        for (const key of [...store.calls.getKeys()]) await overwrite(store, 'calls', key)
      },
      async (call) => {
        const { errors } = (await call('GET', '/dag-runs/outer/o1')).json.dagRunDetails
        expect(errors).to.deep.equal(['state unreadable: what step p has called'])
      }
    )
  })

  itLong('a record of the journal that is lost does not make a step of a finished run one that never ran', async () => {
    await lookedAt(
      copyOf(whole),
      async (store) => {
        for (const key of [...store.journal.getKeys()]) if (key[0] === 'new') await overwrite(store, 'journal', key)
      },
      async (call) => {
        const { json } = await call('GET', '/dag-runs/new/b1/actors')
        expect(json.nodes.map(({ statusLabel }: { statusLabel: string }) => statusLabel)).to.deep.equal(['succeeded'])
      }
    )
  })

  itLong(
    'the text that a run was started with cannot be read: its steps are shown as their own records say, and it lists that',
    async () => {
      await lookedAt(
        copyOf(whole),
        async (store) => {
          for (const hash of [...store.plans.getKeys()]) await overwrite(store, 'plans', String(hash))
          await overwrite(store, 'nodes', ['flaky', 'f1', 1])
        },
        async (call) => {
          const { nodes, errors, onExit } = (await call('GET', run)).json.dagRunDetails
          expect(
            nodes.map(({ step, error }: { step: { name: string }; error: string }) => [step.name, error])
          ).to.deep.equal([
            ['good', ''],
            ['step 2', 'state unreadable'],
            ['never', 'upstream failed']
          ])
          expect(onExit.step.name).to.equal('onExit')
          expect(errors).to.deep.equal(['state unreadable: the text it was started with', 'state unreadable: step 2'])
          expect((await call('GET', `${run}/explain?step=good`)).status).to.equal(503)
        }
      )
    }
  )

  it('the entry of the run itself cannot be read: its log is refused, its details say so', async () => {
    await lookedAt(
      copyOf(whole),
      (store) => overwrite(store, 'runs', ['flaky', 'f1']),
      async (call) => {
        const { error, errors } = (await call('GET', run)).json.dagRunDetails
        expect([error, errors[0]]).to.deep.equal(['state unreadable', 'state unreadable: its entry'])
        expect((await call('GET', `${run}/log`)).status).to.equal(503)
      }
    )
  })

  it('troupe doctor --fix sets it aside as unreadable, not as one that never ran: then its status can be set by hand, and the run retried', async () => {
    const home = copyOf(whole)
    await damage(home, (store) => overwrite(store, 'nodes', ['flaky', 'f1', 0]))
    expect((await diagnosis(home, { fix: true })).messages.filter((it) => it.startsWith('error'))).to.deep.equal([])
    await lookedAt(
      home,
      () => {},
      async (call, engine) => {
        expect((await call('GET', run)).json.dagRunDetails.nodes[0]).to.include({ error: 'state unreadable' })
        expect((await call('POST', `${run}/retry`, {})).json.message).to.equal(sentence)
        expect((await call('PATCH', `${run}/steps/good/status`, { status: 4 })).status).to.equal(200)
        const [good] = (await call('GET', run)).json.dagRunDetails.nodes
        expect(good).to.include({ statusLabel: 'succeeded', error: '' })
        expect((await call('POST', `${run}/retry`, {})).status).to.equal(200)
        await engine.result({ name: 'flaky', dagRunId: 'f1' })
      }
    )
  })

  itLong(
    'whichever letter of a record is changed: no step of a run that has succeeded is shown as anything but succeeded or unreadable',
    async () => {
      const home = temporaryFolder()
      const engine = await createEngine({ home, defaultShell: 'sh' })
      const key = await engine.start({
        spec: 'name: two\nsteps: [{name: a, command: "true"}, {name: b, command: "true"}]'
      })
      await engine.result(key)
      await engine.close()
      const random = seeded(7)
      for (let round = 0; round < 16; round++) {
        const damaged = copyOf(home)
        const table = random.pick(['nodes', 'plans', 'runs', 'journal'])
        await lookedAt(
          damaged,
          async (store) => {
            const entries = Array.from(bytesOf(store, table).getRange())
            const entry = entries[random.below(entries.length)]
            const bytes = Buffer.from(entry?.value ?? '')
            const at = random.below(bytes.length)
            bytes[at] = (bytes[at] ?? 0) ^ (1 + random.below(255))
            await bytesOf(store, table).put(entry?.key ?? '', bytes)
          },
          async (call) => {
            const { nodes, errors = [] } = (await call('GET', `/dag-runs/two/${key.dagRunId}`)).json.dagRunDetails
            const shown = nodes.map(({ statusLabel, error }: Record<string, string>) => error || statusLabel)
            const { json } = await call('GET', `/dag-runs/two/${key.dagRunId}/actors`)
            const seen = json.nodes.map(({ statusLabel, error }: Record<string, string>) => error || statusLabel)
            for (const each of [...shown, ...seen]) expect(each, table).to.be.oneOf(['succeeded', 'state unreadable'])
            expect(nodes, table).to.have.length(2)
            if (shown.includes('state unreadable')) expect(errors, table).not.to.deep.equal([])
          }
        )
      }
    }
  )
})
