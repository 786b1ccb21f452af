/**
 * What earlier releases have stored is read by this one: the same runs, the same states, journals that today's charts allow, and
 * every open run goes on to the end it had then. Source: reliability T14, architecture 5 ("stored data carries a version").
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect } from 'chai'
import type { AnyStateMachine } from 'xstate'
import { callMachine } from '../../machines/call.ts'
import { nodeMachine } from '../../machines/node.ts'
import { queueMachine } from '../../machines/queue.ts'
import { runMachine } from '../../machines/run.ts'
import type { JournalRecord } from '../../machines/vocabulary.ts'
import { takeLock } from '../../src/store/disk/lock.ts'
import { openStore } from '../../src/store/open.ts'
import { STORE_VERSION, writtenBy } from '../../src/store/store-version.ts'
import { VERSION } from '../../src/version.ts'
import { casesOf } from '../golden/cases.ts'
import { hasState, mayLead } from '../support/charts/chart-fold.ts'
import { temporaryFolder } from '../support/homes.ts'
import { damage, diagnosis } from '../support/store/lived-in-home.ts'
import { type Result, resultOf } from '../support/store/stored-runs.ts'

const fixtures = new URL('../../../fixtures/store/', import.meta.url)
type Expected = Result & { storeVersion: number; at: number }

function homeOf(release: string): { home: string; expected: Expected } {
  const home = temporaryFolder()
  mkdirSync(join(home, 'data'), { mode: 0o700 })
  const packed = readFileSync(new URL(`${release}/troupe.mdb.gz`, fixtures))
  writeFileSync(join(home, 'data', 'troupe.mdb'), gunzipSync(packed))
  return { home, expected: JSON.parse(readFileSync(new URL(`${release}/expected.json`, fixtures), 'utf8')) }
}

// D859: recorded journals are checked as transitions
/** Whose transition it is, by the form of its address; events that rules and people write into the journal have no chart. */
function chartOf({ actor, event }: JournalRecord): AnyStateMachine | undefined {
  if (event === 'node.settled' || event === 'node.set') return undefined
  if (actor.startsWith('queue/')) return queueMachine
  const [, , , kind, , child] = actor.split('/')
  if (kind === undefined) return runMachine
  return child === undefined ? nodeMachine : callMachine
}

function journalOf(home: string): JournalRecord[] {
  const store = openStore(join(home, 'data'), { readOnly: true })
  const all = Array.from(store.journal.getRange(), ({ value }) => value)
  void store.root.close()
  return all
}

describe('what earlier releases have stored', () => {
  const releases = casesOf('store')
  it('there is a record of at least one', () => {
    expect(releases).to.include('0.1.0')
  })

  for (const release of releases)
    describe(`release ${release}`, () => {
      it('its runs are read as they were, and open ones go on to the ends they had', async () => {
        const { home, expected } = homeOf(release)
        const { stored, ends } = await resultOf(home, expected.at)
        expect(stored).to.deep.equal(expected.stored)
        expect(ends).to.deep.equal(expected.ends)
      })

      it("its journals are transitions of today's charts", () => {
        const journal = journalOf(homeOf(release).home)
        expect(journal.length).to.be.greaterThan(50)
        const refused = journal.filter((record) => {
          const chart = chartOf(record)
          return chart && !mayLead(chart, record.from, record.event, record.to)
        })
        expect(refused.map(({ actor, event, from, to }) => `${actor}: ${from} -${event}-> ${to}`)).to.deep.equal([])
      })

      it('its store breaks no law', async () => {
        const { messages } = await diagnosis(homeOf(release).home)
        // Files of the repository have the modes of any checkout, and the recorded homes have no logs.
        expect(
          messages.filter(
            (message) => !/^note|^warning (logs|permissions)|^error logs: the folder of logs /.test(message)
          )
        ).to.deep.equal([])
      })
    })

  it('the check of journals can fail: a state that is gone, a transition that is gone', () => {
    expect(mayLead(nodeMachine, 'attempting.executing', 'attempt.ended', 'succeeded')).to.equal(true)
    expect(mayLead(nodeMachine, 'attempting.executing', 'attempt.ended', 'skipped')).to.equal(false)
    expect(mayLead(nodeMachine, 'attempting.dreaming', 'attempt.ended', 'succeeded')).to.equal(false)
    expect(mayLead(runMachine, 'working', 'xstate.done.actor.node/a', 'canceled')).to.equal(true)
    expect(mayLead(runMachine, 'preparing', 'xstate.done.actor.node/a', 'canceled')).to.equal(false)
    expect(hasState(runMachine, 'concluding.answering')).to.equal(true)
  })

  it('a store from before a table was added is read, too', async () => {
    const { home } = homeOf('0.1.0')
    await damage(home, (store) => store.leftovers.drop())
    const store = openStore(join(home, 'data'), { readOnly: true })
    expect(Array.from(store.leftovers.getKeys())).to.deep.equal([])
    expect(store.runs.getKeysCount()).to.equal(12)
    await store.root.close()
  })

  it('a store of a newer release is refused: which one, which one is needed, how to go back; it is not touched', async () => {
    const { home } = homeOf('0.1.0')
    const path = join(home, 'data', 'troupe.mdb')
    const reads = `this is Troupe ${VERSION}, which reads up to version ${STORE_VERSION}, and has changed nothing`
    const back = 'or go back by a backup from before the upgrade (troupe restore DIR --replace)'
    await damage(home, ({ root }) => root.openDB<number, string>({ name: 'meta' }).put('version', STORE_VERSION + 1))
    const before = readFileSync(path)
    expect(() => openStore(join(home, 'data'))).to.throw(
      `the store was written by a newer release of Troupe (store version ${STORE_VERSION + 1}); ${reads}: use that release, ${back}`
    )
    expect(readFileSync(path).equals(before)).to.equal(true)
  })

  it('one that says who wrote it is refused by that name', async () => {
    const { home } = homeOf('0.1.0')
    await damage(home, async ({ root }) => {
      const meta = root.openDB<number | string, string>({ name: 'meta' })
      await meta.put('release', '9.4.2')
      await meta.put('since', '9.1.0')
      await meta.put('version', 99)
    })
    expect(() => openStore(join(home, 'data'), { readOnly: true })).to.throw(
      /^the store was written by Troupe 9\.4\.2 \(store version 99\); .*: use Troupe 9\.1\.0 or newer, or go back/
    )
  })

  it('a release says in the store that it has it, and since which release older ones cannot read it', async () => {
    const { home } = homeOf('0.4.0')
    const seen = () => {
      const store = openStore(join(home, 'data'), { readOnly: true })
      const found = writtenBy(store.root)
      void store.root.close()
      return found
    }
    expect(seen()).to.deep.equal({ version: 4 })
    const store = openStore(join(home, 'data'))
    expect(writtenBy(store.root), 'opening it alone changes nothing').to.deep.equal({ version: 4 })
    takeLock(store)()
    await store.root.close()
    expect(seen()).to.deep.equal({ version: STORE_VERSION, release: VERSION, since: VERSION })
  })
})
