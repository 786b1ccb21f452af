/** Values as JSON. Source: api-semantics V1, V2, V5-V7, 2 (Step, Condition). */
import { expect } from 'chai'
import { actorsShape } from '../../../src/api/shapes/fact-shapes.ts'
import { runDetails, runSummary } from '../../../src/api/shapes/shapes.ts'
import { stepShape } from '../../../src/api/shapes/step-shape.ts'
import { timeTextIn, timeTextOf } from '../../../src/api/shapes/time-text.ts'
import { repeat } from '../../support/charts/plans.ts'
import { fakeEngine, nodeOf, stepOf } from '../../support/engine/fake-engine.ts'

describe('API › shapes', () => {
  describe('V1 times: RFC 3339, whole seconds, offset of the configured timezone', () => {
    const noon = Date.UTC(2026, 0, 15, 12, 0, 0, 999)

    it('Z for UTC', () => {
      expect(timeTextIn('UTC')(noon)).to.equal('2026-01-15T12:00:00Z')
    })

    it('other zones, with quarters of an hour and west of Greenwich', () => {
      expect(timeTextIn('Asia/Kathmandu')(noon)).to.equal('2026-01-15T17:45:00+05:45')
      expect(timeTextIn('America/St_Johns')(noon)).to.equal('2026-01-15T08:30:00-03:30')
      expect(timeTextIn('Pacific/Kiritimati')(noon)).to.equal('2026-01-16T02:00:00+14:00')
    })

    it('daylight saving time changes between one second and the next', () => {
      const time = timeTextIn('Europe/Berlin')
      const change = Date.UTC(2026, 2, 29, 1)
      expect(time(change - 1)).to.equal('2026-03-29T01:59:59+01:00')
      expect(time(change)).to.equal('2026-03-29T03:00:00+02:00')
      expect(time(change - 1)).to.equal('2026-03-29T01:59:59+01:00')
      expect(timeTextIn('Europe/London')(noon)).to.equal('2026-01-15T12:00:00Z')
    })

    it('without a configured timezone that of the process, and its name is not looked up for it', () => {
      const config = {
        isLocalTime: true,
        get tz(): string {
          throw new Error('looked up')
        }
      }
      const before = process.env.TZ
      try {
        for (const zone of ['UTC', 'Asia/Kathmandu', 'America/St_Johns', 'Europe/Berlin']) {
          process.env.TZ = zone
          const [time, known] = [timeTextOf(config), timeTextIn(zone)]
          for (const at of [0, noon, Date.UTC(2026, 2, 29, 1) - 1, Date.UTC(2026, 2, 29, 1)])
            expect(time(at)).to.equal(known(at))
        }
      } finally {
        if (before === undefined) delete process.env.TZ
        else process.env.TZ = before
      }
    })

    it('a configured timezone is compared with UTC, and looked up with the first time only', () => {
      let asked = 0
      const time = timeTextOf({
        isLocalTime: false,
        get tz() {
          asked++
          return 'Asia/Kathmandu'
        }
      })
      expect(asked).to.equal(1)
      expect([time(undefined), asked]).to.deep.equal(['', 2])
      expect([time(noon), asked]).to.deep.equal(['2026-01-15T17:45:00+05:45', 2])
    })

    it('facts of a node that has not changed are made once for each zone', () => {
      const node = {
        step: 's',
        status: 'succeeded' as const,
        startedAt: noon,
        retryCount: 0,
        doneCount: 1,
        handler: false
      }
      const facts = {
        run: { name: 'n', dagRunId: 'r' },
        at: 1,
        latest: 1,
        status: 'running' as const,
        nodes: [node],
        actors: []
      }
      const [utc, berlin] = [timeTextIn('UTC'), timeTextIn('Europe/Berlin')]
      const [first] = actorsShape(facts, utc).nodes
      expect(actorsShape({ ...facts, at: 2 }, utc).nodes[0]).to.equal(first)
      expect(first?.startedAt).to.equal('2026-01-15T12:00:00Z')
      expect(actorsShape(facts, berlin).nodes[0]?.startedAt).to.equal('2026-01-15T13:00:00+01:00')
      expect(actorsShape({ ...facts, nodes: [{ ...node, doneCount: 2 }] }, utc).nodes[0]?.doneCount).to.equal(2)
    })

    it('V2 a time that has not happened is the empty string, the epoch is not', () => {
      expect(timeTextIn('UTC')(undefined)).to.equal('')
      expect(timeTextIn('UTC')(0)).to.equal('1970-01-01T00:00:00Z')
    })
  })

  describe('V6, V7 status + statusLabel', () => {
    const time = timeTextIn('UTC')
    const { run } = fakeEngine().addRun({ name: 'n', dagRunId: 'r' })

    it('run status 0-6', () => {
      const labels = [
        'not_started',
        'running',
        'failed',
        'canceled',
        'succeeded',
        'queued',
        'partially_succeeded'
      ] as const
      for (const [status, label] of labels.entries()) {
        expect(runSummary({ ...run, status: label }, time)).to.include({ status, statusLabel: label })
      }
    })

    it('node status 0-6', () => {
      const labels = [
        'not_started',
        'running',
        'failed',
        'canceled',
        'succeeded',
        'skipped',
        'partially_succeeded'
      ] as const
      for (const [status, label] of labels.entries()) {
        const view = fakeEngine().addRun(
          { name: 'n', dagRunId: 'r' },
          { nodes: [{ step: stepOf('a'), node: nodeOf('a', { status: label }) }] }
        )
        expect(runDetails(view, time).nodes[0]).to.include({ status, statusLabel: label })
      }
    })

    it('unknown stored status -> label unknown', () => {
      // A record of another release may hold any text.
      const status = 'paused' as typeof run.status
      expect(runSummary({ ...run, status }, time)).to.include({ status: 0, statusLabel: 'unknown' })
    })
  })

  describe('Step', () => {
    it('V5 members other than name are dropped when empty', () => {
      expect(stepShape(stepOf('a'))).to.deep.equal({ name: 'a' })
    })

    it('command = first word, args = further words, cmdWithArgs as written', () => {
      expect(stepShape(stepOf('a', { command: 'echo "a b" $X' }))).to.deep.equal({
        name: 'a',
        command: 'echo',
        args: ['a b', '$X'],
        cmdWithArgs: 'echo "a b" $X'
      })
      expect(stepShape(stepOf('a', { argv: ['echo', 'a b'], args: ['c'] }))).to.deep.equal({
        name: 'a',
        command: 'echo',
        args: ['a b', 'c'],
        cmdWithArgs: 'echo a b c'
      })
      expect(stepShape(stepOf('a', { command: 'echo', args: ['x'] }))).to.include({ cmdWithArgs: 'echo x' })
    })

    it('all other members', () => {
      const shape = stepShape(
        stepOf('a', {
          id: 'i',
          description: 'd',
          script: 's',
          dir: '/tmp',
          stdout: 'o',
          stderr: 'e',
          output: 'OUT',
          depends: ['b'],
          preconditions: [{ condition: 'c', expected: 'x', error: 'why', negate: true }],
          retry: { limit: 2, interval: 1_500, exitCodes: [7], backoff: 2, maxIntervalMs: 60_000 },
          continueOn: { failure: true, skipped: false, exitCodes: [1], outputs: ['re:x'], markSuccess: true }
        })
      )
      expect(shape).to.deep.equal({
        name: 'a',
        id: 'i',
        description: 'd',
        dir: '/tmp',
        script: 's',
        stdout: 'o',
        stderr: 'e',
        output: 'OUT',
        depends: ['b'],
        preconditions: [{ condition: 'c', expected: 'x', error: 'why', negate: true }],
        retryPolicy: { limit: 2, intervalSec: 1.5, exitCodes: [7], backoff: 2, maxIntervalSec: 60 },
        continueOn: { failure: true, skipped: false, exitCode: [1], output: ['re:x'], markSuccess: true }
      })
    })

    it('6.2.8 repeatPolicy: {repeat: boolean, interval: integer}, and what is in force of mode, limit, condition and exitCode', () => {
      const plain = stepShape(stepOf('a', { repeat: repeat({ intervalMs: 5_000 }) }))
      expect(plain).to.have.deep.property('repeatPolicy', { repeat: true, interval: 5, mode: 'while', limit: 0 })
      const until = repeat({
        mode: 'until',
        condition: { condition: '$STATE', expected: 'up' },
        exitCodes: [7],
        limit: 3
      })
      expect(stepShape(stepOf('a', { repeat: until }))).to.have.deep.property('repeatPolicy', {
        repeat: true,
        interval: 0,
        mode: 'until',
        limit: 3,
        condition: { condition: '$STATE', expected: 'up', error: '' },
        exitCode: [7]
      })
      expect(stepShape(stepOf('a'))).not.to.have.property('repeatPolicy')
    })

    it('a retryPolicy with variables is shown as written', () => {
      const retry = { limit: '${N}', interval: '${WAIT}', exitCodes: [], backoff: 1, maxIntervalMs: 0 }
      expect(stepShape(stepOf('a', { retry })))
        .to.have.property('retryPolicy')
        .that.includes({ limit: '${N}', intervalSec: '${WAIT}' })
    })
  })
})
