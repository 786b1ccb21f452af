/** `createEngine({ inspect })`: the page of a host's engine, and records for an inspector. Source: docs/inspect.md. */
import { posix } from 'node:path'
import { expect } from 'chai'
import { type Clock, systemClock } from '../../../src/clock.ts'
import { createEngine, type EngineOptions } from '../../../src/index.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { openInspector } from '../../support/inspect/inspector.ts'
import { importsOf, sources } from '../../support/tree/imports.ts'
import { eventually } from '../../support/waiting.ts'

const spec = `name: watched
type: graph
steps:
  - {name: a, command: exit 3, retryPolicy: {limit: 1, intervalSec: 1}, continueOn: {failure: true}}
  - {name: kids, run: kid, depends: a}
---
name: kid
steps: [{name: k, command: "true"}]
`
/** Chart and parent of an actor of the sub DAG run. */
const ofKid = (address: string) =>
  address.includes('/node/') ? ['node', address.slice(0, address.indexOf('/node/'))] : ['run', undefined]

/** An engine with its page, and what it said on stderr. */
async function served(options: EngineOptions = { temporary: true, defaultShell: 'sh' }) {
  const written: string[] = []
  const { write } = process.stderr
  process.stderr.write = ((text: string) => written.push(text) > 0) as typeof write
  const engine = await createEngine({ ...options, inspect: true }).finally(() => {
    process.stderr.write = write
  })
  return { engine, written: written.join('') }
}

describe('createEngine({ inspect })', () => {
  it('serves the API on this machine, says where, and ends that with the engine', async () => {
    const { engine, written } = await served()
    const { inspectedAt = '' } = engine
    expect(inspectedAt).to.match(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect(written).to.equal(`troupe: watch the engine at ${inspectedAt}/\n`)
    const answer = await fetch(`${inspectedAt}/api/v2/machines`)
    expect(answer.status).to.equal(200)
    await engine.close()
    expect(
      await fetch(inspectedAt).then(
        () => 'there',
        () => 'gone'
      )
    ).to.equal('gone')
  })

  it('without it nothing is served, nothing of it is loaded, and nobody listens to XState', async () => {
    const engine = await createEngine({ temporary: true })
    expect(engine).to.not.have.property('inspectedAt')
    await engine.close()
    const texts = new Map(sources().map(({ path, text }) => [path, text]))
    const loaded = new Set(['src/index.ts', 'src/engine/owning-engine.ts']) // loaded late, for an owner
    for (const path of loaded)
      for (const { from, typesOnly } of importsOf((texts.get(path) ?? '').replaceAll('import(', 'later(')))
        if (!typesOnly && from.startsWith('.')) loaded.add(posix.join(posix.dirname(path), from))
    expect([...loaded]).to.include.members(['src/host/create-engine.ts', 'src/actors/root/system.ts'])
    expect(
      [...loaded].filter((path) => /inspected-engine|inspect\/(?:adapter|stately)|^src\/(?:api|page)\//.test(path))
    ).to.deep.equal([])
    for (const path of loaded)
      if (/^(?:src\/actors|machines)\//.test(path)) expect(texts.get(path), path).to.not.match(/\binspect[:(]/)
  })

  it('sends each actor, event and snapshot to an inspector: what it draws is what the engine knows', async () => {
    const inspector = await openInspector()
    const engine = await createEngine({ temporary: true, defaultShell: 'sh', inspect: { to: inspector.address } })
    expect(engine.inspectedAt, 'nothing else is opened').to.equal(undefined)
    const key = await engine.start({ spec })
    await engine.result(key)
    const run = `run/watched/${key.dagRunId}`
    const { actors, faults } = inspector
    await eventually('the end of the run', () => actors.get(run)?.status === 'done' || undefined)
    expect(faults).to.deep.equal([])
    expect([...actors].map(([address, { machine, parent }]) => [address, machine, parent])).to.deep.equal([
      ['queue/watched', 'queue', undefined],
      [run, 'run', undefined],
      [`${run}/node/a`, 'node', run],
      [`${run}/node/kids`, 'node', run],
      [`${run}/node/kids/attempt`, 'call', `${run}/node/kids`],
      ...[...actors.keys()].filter((address) => address.startsWith('run/kid/')).map((kid) => [kid, ...ofKid(kid)])
    ])
    const known = engine.inspect(key).actors
    expect(known).to.have.length(4)
    for (const { address, states, status } of known)
      expect(actors.get(address), address).to.deep.include({ states, status })
    expect(actors.get(`${run}/node/a`)?.context).to.include({ attempt: 2, retryCount: 1, exitCode: 3 })
    expect(actors.get(`${run}/node/a`)?.events).to.deep.equal([
      { type: 'xstate.init', source: run },
      { type: 'attempt.ended', source: undefined },
      { type: 'alarm.rang', source: undefined },
      { type: 'attempt.ended', source: undefined }
    ])
    await engine.close()
    inspector.close()
  })

  it('a read-only one says that it receives no events; it shows those that are stored', async () => {
    const home = temporaryFolder()
    const owner = await createEngine({ home, defaultShell: 'sh' })
    const key = await owner.start({ spec: 'name: a\nsteps: ["true"]' })
    await owner.result(key)
    const { engine } = await served({ home, readOnly: true })
    for (const path of ['/events', `/dag-runs/a/${key.dagRunId}/events`]) {
      const at = `${engine.inspectedAt}/api/v2${path}`
      const refused = await fetch(at)
      expect([refused.status, await refused.json()]).to.deep.equal([
        503,
        { code: 'service_unavailable', message: 'this engine was opened to read only' }
      ])
      const stored = await (await fetch(`${at}?follow=false`)).text()
      expect(stored.match(/^id: /gm)).to.have.length(owner.journal(key, 0, 100).length)
    }
    await engine.close()
    await owner.close()
  })

  it('an inspector sees how the runs are stopped when the engine is closed', async () => {
    const inspector = await openInspector()
    const engine = await createEngine({ temporary: true, defaultShell: 'sh', inspect: { to: inspector.address } })
    const key = await engine.start({ spec: 'name: sleeper\nsteps: [sleep 20]' })
    const run = `run/sleeper/${key.dagRunId}`
    await eventually('the step', () => inspector.actors.get(`${run}/node/cmd_1`) && true)
    await engine.close({ runs: 'stop' })
    await eventually('the end of the run', () => inspector.actors.get(run)?.status === 'done' || undefined)
    inspector.close()
  })

  it('a close that is refused ends nothing; the other one begins at once, and all who close wait for its end', async () => {
    const { engine } = await served()
    const page = () =>
      fetch(`${engine.inspectedAt}/api/v2/machines`).then(
        ({ status }) => status,
        () => 'gone'
      )
    await engine.close({ runs: 'kill' as 'stop' }).catch(() => {})
    expect(await page()).to.equal(200)
    const first = engine.close()
    expect(engine.closing.aborted).to.equal(true)
    await engine.close()
    expect(await page()).to.equal('gone')
    await first
  })

  it('one that connects late, or again, sees every actor that moves from then on', async () => {
    const first = await openInspector()
    const engine = await createEngine({ temporary: true, defaultShell: 'sh', inspect: { to: first.address } })
    const slow =
      'name: slow\nsteps: [{name: a, command: sleep 0.1}, {name: b, command: sleep 1.5}, {name: c, command: "true"}]'
    const key = await engine.start({ spec: slow })
    const run = `run/slow/${key.dagRunId}`
    await eventually('the run', () => first.actors.get(`${run}/node/b`) && true)
    first.close()
    const again = await openInspector(first.port)
    await engine.result(key)
    await eventually('the end of the run', () => again.actors.get(run)?.status === 'done' || undefined)
    expect(again.faults).to.deep.equal([])
    expect(again.actors.get(`${run}/node/c`)?.states).to.deep.equal(['succeeded'])
    await engine.close()
    again.close()
  })

  it('an inspector that is not there costs nothing; an address that is none is refused', async () => {
    const engine = await createEngine({ temporary: true, defaultShell: 'sh', inspect: { to: 'ws://127.0.0.1:9' } })
    expect((await engine.result(await engine.start({ spec: 'steps: [echo a]', name: 'x' }))).run.status).to.equal(
      'succeeded'
    )
    await engine.close()
    const refused = await createEngine({ temporary: true, inspect: { to: 'http://127.0.0.1' } }).catch((error) => error)
    expect(refused).to.include({ code: 'bad_request' })
  })
})

describe('createEngine({ clock })', () => {
  /** As a host writes one: its functions ask for what the object knows. */
  class LateClock implements Clock {
    readonly #lateMs = 60_000
    now() {
      return systemClock.now() + this.#lateMs
    }
    elapsed() {
      return systemClock.elapsed() + this.#lateMs
    }
    at(dueAt: number, ring: () => void) {
      return systemClock.at(dueAt - this.#lateMs, ring)
    }
    after(ms: number, ring: () => void) {
      return systemClock.after(this.#lateMs > 0 ? ms : 0, ring)
    }
    soon(next: () => void) {
      if (this.#lateMs > 0) systemClock.soon(next)
    }
    random(count: number) {
      return systemClock.random(this.#lateMs > 0 ? count : 0)
    }
  }

  it('may be an object of a class', async () => {
    const engine = await createEngine({ temporary: true, clock: new LateClock(), inspect: { to: 'ws://127.0.0.1:1' } })
    expect(engine.now()).to.be.greaterThan(systemClock.now() + 30_000)
    const key = await engine.start({ spec: 'name: a\nsteps: ["true"]' })
    expect((await engine.result(key)).run.status).to.equal('succeeded')
    expect(engine.facts.explain(key).reasons).to.deep.equal([])
    await engine.close()
  })
})
