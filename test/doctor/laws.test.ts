/** Each law of a home, broken on purpose: the doctor names it, and fixes it where nothing is lost. Source: reliability P5, P7, F10-F13. */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { createEngine } from '../../src/index.ts'
import { damagedIn, UNREADABLE } from '../../src/store/damage/damaged.ts'
import type { Store } from '../../src/store/open.ts'
import { temporaryFolder } from '../support/homes.ts'
import { GARBAGE, overwrite } from '../support/store/damaged-records.ts'
import { copyOf, damage, diagnosis, livedInHome } from '../support/store/lived-in-home.ts'
import { eventually } from '../support/waiting.ts'

const runOf = (store: Store, name: string, dagRunId: string) => {
  const stored = store.runs.get([name, dagRunId])
  if (stored) return stored
  throw new Error(`no run ${dagRunId}`)
}

/** Its sub runs wait for a file; one that is at work says so beside it. */
const CALLING = (go: string) => `
name: calling
steps: [{name: p, call: inner, parallel: {items: ['1', '2'], maxConcurrent: 1}, params: "I=\${ITEM}"}]
---
name: inner
params: I=x
steps: [{name: wait, command: "touch ${go}.$I; until [ -e ${go} ]; do sleep 0.02; done"}]
`

/** Of a run whose entry was set aside. */
const SAID_FOR_GOOD = /^note store: run f1 of flaky is listed as failed: its record could not be read/

interface Case {
  law: string
  breaks(store: Store): unknown
  /** One of the messages. */
  says: RegExp
  /** What remains after all possible fixes. Default: nothing. */
  leaves?: RegExp
}

const cases: Case[] = [
  {
    law: 'a run is listed by time, by name and by status',
    breaks: (store) => store.byName.remove(['flaky', runOf(store, 'flaky', 'f1').record.createdAt, 'f1']),
    says: /^error indexes: run f1 of flaky is missing in the index byName$/
  },
  {
    law: 'an index names runs that are there, with the status they have',
    breaks: (store) =>
      store.byStatus.put(['running', runOf(store, 'flaky', 'f1').record.createdAt, 'flaky', 'f1'], true),
    says: /^error indexes: the index byStatus names \["running",\d+,"flaky","f1"\], which no run is$/
  },
  {
    law: 'F13 only runs that have not ended are open',
    breaks: (store) => store.open.put(['flaky', 'f1'], true),
    says: /^error indexes: the index open names \["flaky","f1"\], which no run is$/
  },
  {
    law: 'a sub DAG run is found by its root run',
    breaks: (store) => {
      const [key] = store.subs.getKeys()
      return key && store.subs.remove(key)
    },
    says: /^error indexes: run \S+ of inner is missing in the index subs$/
  },
  {
    law: 'F10 an entry of a run that cannot be read is set aside, and the run stays listed',
    breaks: (store) => overwrite(store, 'runs', ['flaky', 'f1']),
    says: /^error store: entry \["flaky","f1"\] of table runs cannot be read: /,
    leaves: SAID_FOR_GOOD
  },
  {
    law: 'F11 an entry that is that of another run counts as not readable',
    breaks: (store) => store.runs.put(['flaky', 'f1'], runOf(store, 'long', 'l1')),
    says: /^error store: entry \["flaky","f1"\] of table runs cannot be read: it is that of another run$/,
    leaves: SAID_FOR_GOOD
  },
  {
    law: 'an entry of a node that cannot be read is set aside',
    breaks: (store) => overwrite(store, 'nodes', ['flaky', 'f1', 0]),
    says: /^error store: entry \["flaky","f1",0\] of table nodes cannot be read: /,
    leaves: /^note store: step good of run f1 of flaky is shown as failed: /
  },
  {
    law: 'a run that has ended has no state to go on from',
    breaks: (store) =>
      store.runs.put(['flaky', 'f1'], {
        ...runOf(store, 'flaky', 'f1'),
        open: { value: 'working', context: {}, children: {} }
      }),
    says: /^error store: run f1 of flaky has ended \(\w+\), but a state to continue from is stored for it$/
  },
  {
    law: 'entries belong to a run',
    breaks: (store) =>
      store.nodes.put(['flaky', 'gone', 0], {
        record: { step: 'x', status: 'failed', retryCount: 0, doneCount: 0 }
      }),
    says: /^warning store: table nodes has an entry of run gone of flaky, which is not stored$/
  },
  {
    law: 'P12 the text of a run is stored with it',
    breaks: (store) => store.plans.remove(runOf(store, 'long', 'l1').record.plan),
    says: /^warning store: run l1 of long: the text it was started with is not stored$/,
    leaves: /the text it was started with is not stored/
  },
  {
    law: 'P5 each transition begins where the one before it ended',
    breaks(store) {
      const [key] = Array.from(store.journal.getRange()).filter(({ value }) => value.event === 'run.prepared')
      return key && store.journal.put(key.key, { ...key.value, from: 'working' })
    },
    says: /^warning journal: run \S+ of \S+: journal record \d+ of run\/\S+ begins in working, the one before it ended in /,
    leaves: /^warning journal: /
  },
  {
    law: 'P3 the journal and the run say the same',
    breaks: (store) => {
      const stored = runOf(store, 'long', 'l1')
      const record = { ...stored.record, status: 'succeeded' as const }
      const { createdAt } = record
      store.byStatus.remove(['canceled', createdAt, 'long', 'l1'])
      store.byStatus.put(['succeeded', createdAt, 'long', 'l1'], true)
      return store.runs.put(['long', 'l1'], { ...stored, record })
    },
    says: /^warning journal: run l1 of long: it is succeeded, the last transition in its journal left it canceled$/,
    leaves: /^warning journal: /
  },
  {
    law: 'P3 the journal and the nodes say the same',
    breaks: (store) => {
      const node = store.nodes.get(['long', 'l1', 0])
      return node && store.nodes.put(['long', 'l1', 0], { record: { ...node.record, status: 'succeeded' } })
    },
    says: /^warning journal: run l1 of long: step wait is succeeded, the last transition in the journal left it canceled$/,
    leaves: /^warning journal: /
  }
]

describe('doctor › the laws of a store', () => {
  let home = ''
  before(async () => {
    home = await livedInHome()
  })

  it('a home in which every kind of run has been breaks none', async () => {
    const { messages, runs } = await diagnosis(home)
    expect(messages).to.deep.equal([])
    expect(runs).to.equal(7)
  })

  it('nor does one in which a step called sub workflows when the engine ended and another went on', async () => {
    const calling = temporaryFolder()
    const engine = await createEngine({ home: calling, defaultShell: 'sh' })
    const run = await engine.start({ spec: CALLING(join(calling, 'go')), dagRunId: 'c1' })
    await eventually('the sub runs', () => existsSync(join(calling, 'go.1')) || undefined)
    await engine.close()
    const next = await createEngine({ home: calling, defaultShell: 'sh' })
    writeFileSync(join(calling, 'go'), '')
    expect((await next.result(run)).run.status).to.equal('succeeded')
    await next.close()
    expect((await diagnosis(calling)).messages).to.deep.equal([])
  })

  for (const { law, breaks, says, leaves } of cases)
    it(law, async () => {
      const copy = copyOf(home)
      await damage(copy, breaks)
      const { messages } = await diagnosis(copy)
      expect(
        messages.some((message) => says.test(message)),
        messages.join('\n')
      ).to.equal(true)
      const mended = await diagnosis(copy, { fix: true })
      const left = mended.messages.filter((message) => !leaves?.test(message))
      expect(left).to.deep.equal([])
      expect(mended.fixed.length > 0 || leaves !== undefined).to.equal(true)
    })

  it('P7 what was set aside keeps its bytes', async () => {
    const copy = copyOf(home)
    await damage(copy, (store) => overwrite(store, 'runs', ['flaky', 'f1']))
    expect((await diagnosis(copy, { fix: true })).fixed).to.have.length(1)
    expect((await diagnosis(copy)).messages.filter((message) => SAID_FOR_GOOD.test(message))).to.have.length(1)
    await damage(copy, (store) => {
      expect(Buffer.from(damagedIn(store).get(['runs', 'flaky', 'f1']) ?? '')).to.deep.equal(GARBAGE)
      expect(runOf(store, 'flaky', 'f1').record).to.include({ status: 'failed', error: UNREADABLE })
    })
  })
})
