/** A backup of a home in which runs are at work, of a living engine or a dead one, and where they go on. Source: reliability T5, P1. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { createEngine } from '../../src/index.ts'
import { killedAfter, marksIn } from '../support/engine/killed-engine.ts'
import { temporaryFolder } from '../support/homes.ts'
import { connectingTo, lineTo } from '../support/line.ts'
import { backedUp, ECHO, restored } from '../support/store/backups.ts'
import { diagnosis } from '../support/store/lived-in-home.ts'
import { eventually } from '../support/waiting.ts'

describe('backup and restore', () => {
  it('T5 taken while runs come in: every run that was acknowledged before it began is in it, and it breaks no law', async () => {
    const [busy, backup, other] = [temporaryFolder(), join(temporaryFolder(), 'b'), temporaryFolder()]
    const engine = await createEngine({ home: busy, defaultShell: 'sh' })
    try {
      const acknowledged: string[] = []
      let isOver = false
      const load = (async () => {
        for (let n = 0; !isOver; n++) {
          const dagRunId = `r${n}`
          await engine.start({ spec: ECHO, dagRunId, dagName: `small-${n}` })
          acknowledged.push(dagRunId)
        }
      })()
      await eventually('some runs', () => acknowledged.length >= 30 || undefined)
      const before = [...acknowledged]
      const taken = await backedUp(busy, backup)
      isOver = true
      await load
      const ofHome = (await diagnosis(busy)).messages.filter((message) => message.startsWith('error'))
      expect({ live: taken.live, ofCopy: taken.problems, ofHome }).to.deep.equal({ live: true, ofCopy: [], ofHome: [] })
      await restored(backup, other)
      const found = await diagnosis(other)
      expect(found.messages.filter((message) => !message.startsWith('note'))).to.deep.equal([])
      const reader = await createEngine({ home: other, readOnly: true })
      const ids = new Set(reader.runs().map(({ dagRunId }) => dagRunId))
      expect(before.filter((id) => !ids.has(id))).to.deep.equal([])
      await reader.close()
    } finally {
      await engine.close()
    }
  })

  it('T5 a log that a busy engine writes a moment after the end of its run is in it', async () => {
    const [busy, backup] = [temporaryFolder(), join(temporaryFolder(), 'b')]
    const engine = await createEngine({ home: busy, defaultShell: 'sh' })
    try {
      const { run } = await engine.result(await engine.start({ spec: ECHO, dagRunId: 'r' }))
      const text = readFileSync(run.log, 'utf8')
      rmSync(run.log)
      setTimeout(() => writeFileSync(run.log, text), 300)
      const { files } = await backedUp(busy, backup)
      expect(files.map(({ path }) => path)).to.include('logs/small/r/run.log')
    } finally {
      await engine.close()
    }
  })
  it('of a home whose engine has died it has the transactions that were not in the store yet; a surviving step is found', async () => {
    const [dead, backup] = [temporaryFolder(), join(temporaryFolder(), 'b')]
    const spec = `name: held\nsteps:\n  - 'echo one >>${dead}/marks; while [ ! -e ${dead}/go ]; do sleep 0.05; done; exit 3'\n`
    await killedAfter(dead, spec, 1)
    await backedUp(dead, backup)
    const { aside } = await restored(backup, dead, true)
    expect(aside.every((path) => existsSync(path))).to.equal(true)
    writeFileSync(join(dead, 'go'), '')
    const engine = await createEngine({ home: dead, defaultShell: 'sh' })
    try {
      const { run, nodes } = await engine.result({ name: 'held', dagRunId: 'r1' })
      expect([run.status, marksIn(dead)]).to.deep.equal(['failed', ['one']])
      expect(nodes[0]?.node.error).to.match(/exit status 3|interrupted: outcome unknown/)
    } finally {
      await engine.close()
    }
  })

  it('an ssh step that was still connecting may have been sent since the backup: its outcome is unknown', async () => {
    const [dead, backup] = [temporaryFolder(), join(temporaryFolder(), 'b')]
    const line = await lineTo({ port: 1 }, true)
    try {
      await killedAfter(dead, connectingTo(line), 0, () => line.connections > 0)
      await backedUp(dead, backup)
      await restored(backup, dead, true)
      const engine = await createEngine({ home: dead, defaultShell: 'sh' })
      const { nodes } = await engine.result({ name: 'connecting', dagRunId: 'r1' })
      await engine.close()
      expect(nodes[0]?.node.error).to.include('interrupted: outcome unknown')
      expect(line.connections).to.equal(1)
    } finally {
      line.close()
    }
  })

  it('D1624 a restore says of each open run how it goes on', async () => {
    const [busy, other, backup] = [temporaryFolder(), temporaryFolder(), join(temporaryFolder(), 'b')]
    const settings = { 'queues.config': [{ name: 'q', maxConcurrency: 1 }] }
    const engine = await createEngine({ home: busy, defaultShell: 'sh', settings })
    const wait = `while [ ! -e ${busy}/go ]; do sleep 0.05; done`
    const begin = async (name: string, more = '') => {
      const steps = `steps: [{name: a, command: 'echo ${name} >>${busy}/marks; ${wait}'}]`
      await engine.start({ spec: `name: ${name}\n${more}${steps}\n`, dagRunId: 'r' })
    }
    await begin('lost')
    await begin('again', 'onInterrupt: rerun\n')
    await begin('given', 'onInterrupt: fail\n')
    await engine.start({
      spec: `name: caller\nsteps: [{name: b, call: kid}]\n---\nname: kid\nsteps: [{name: a, command: 'echo kid >>${busy}/marks; ${wait}'}]\n`,
      dagRunId: 'r'
    })
    await engine.start({
      spec: 'name: asks\nsteps: [{name: a, executor: {type: approval, config: {ask: ok}}}]\n',
      dagRunId: 'r'
    })
    const queued = `name: later\nqueue: q\nsteps: [{name: a, command: 'echo later >>${busy}/marks; ${wait}'}]\n`
    for (const dagRunId of ['r', 'r2']) await engine.enqueue({ spec: queued, dagRunId })
    try {
      await eventually('the steps', () => marksIn(busy).length === 5 || undefined)
      await backedUp(busy, backup)
      const { open } = await restored(backup, other)
      const found = open.map(({ name, dagRunId, how, step }) => [name, dagRunId, how, step ?? ''].join(' ').trim())
      expect(found.sort()).to.deep.equal([
        'again r reruns a',
        'asks r continues',
        'caller r unknown a',
        'given r unknown a',
        'later r unknown a',
        'later r2 queued',
        'lost r unknown a'
      ])
      const next = await createEngine({ home: other, defaultShell: 'sh' })
      const { nodes } = await next.result({ name: 'lost', dagRunId: 'r' })
      expect(nodes[0]?.node.error).to.equal('interrupted: outcome unknown')
      await next.close()
    } finally {
      writeFileSync(join(busy, 'go'), '')
      await engine.close({ runs: 'stop' })
    }
  })

  it('restored elsewhere it leaves the steps that are at work to the home that it was taken of', async () => {
    const [dead, other, backup] = [temporaryFolder(), temporaryFolder(), join(temporaryFolder(), 'b')]
    const wait = `while [ ! -e ${dead}/go ]; do sleep 0.05; done`
    const spec = `name: held\nsteps:\n  - 'echo one >>${dead}/marks; ${wait}; echo two >>${dead}/marks; exit 3'\n`
    await killedAfter(dead, spec, 1)
    const note = 'logs/held/r1/1/zip.1.partial.state' // of an archive that is being made: an engine that finds it removes the file it names
    writeFileSync(join(dead, note), '"/nowhere/a.zip.part"')
    await backedUp(dead, backup)
    await restored(backup, other)
    expect([existsSync(join(backup, note)), existsSync(join(other, note))]).to.deep.equal([true, false])
    const key = { name: 'held', dagRunId: 'r1' }
    const copy = await createEngine({ home: other, defaultShell: 'sh' })
    try {
      await copy.stop(key).catch(() => {}) // it may have ended
      const { nodes } = await copy.result(key)
      expect(nodes[0]?.node.error).to.equal('interrupted: outcome unknown')
    } finally {
      await copy.close()
    }
    writeFileSync(join(dead, 'go'), '')
    const engine = await createEngine({ home: dead, defaultShell: 'sh' })
    try {
      const { nodes } = await engine.result(key)
      expect(nodes[0]?.node.error).to.match(/exit status 3/)
      expect(marksIn(dead)).to.deep.equal(['one', 'two'])
    } finally {
      await engine.close()
    }
  })
})
