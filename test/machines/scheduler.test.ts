/** Ticks. Source: execution-semantics 11.5, 11.13. */
import { expect } from 'chai'
import { createActor } from 'xstate'
import type { Due, Facts } from '../../machines/policy/due.ts'
import { restartMachine } from '../../machines/restart.ts'
import { schedulerMachine } from '../../machines/scheduler.ts'
import type { AlarmInput } from '../../machines/slots.ts'
import type { ScheduleDecision } from '../../machines/vocabulary.ts'
import { invokedActors, onStage, openStage, type Stage } from '../support/charts/stage.ts'

const MINUTE = 60_000
const at = (time: string) => Date.parse(`2025-03-09T${time}Z`)

const filled = invokedActors('alarm', 'timetable')

function driveScheduler(start: number, snapshot?: unknown, actors: object = {}) {
  const stage = openStage()
  stage.now = start
  const logic = schedulerMachine.provide({ actors: { ...(filled as object), ...actors } as never })
  const given = snapshot === undefined ? {} : { snapshot: snapshot as never }
  const actor = onStage(stage, createActor(logic, { input: { at: start }, ...given }))
  const ticks: number[] = []
  actor.subscribe(({ context }) => ticks.push(context.tickedAt))
  actor.start()
  const looked = (...found: Partial<Facts>[]) =>
    stage.the('timetable').answer('minute.looked', { facts: found.map((wish) => ({ ...NOTHING, ...wish })) })
  /** Commands to the timetable, by the last part of their type. */
  const received = (type: string) => stage.the('timetable').received.filter((said) => said.type === `timetable.${type}`)
  const reasons = () =>
    received('note').map((said) => (said as never as { decision: ScheduleDecision }).decision.reason)
  return { stage, actor, ticks, looked, received, reasons, dueAt: () => (stage.the('alarm').input as AlarmInput).dueAt }
}
const NOTHING: Facts = {
  fileName: 'a',
  name: 'a',
  kind: 'start',
  slot: at('10:01:00'),
  suspended: false,
  decided: false,
  missed: false,
  skipIfSuccessful: false,
  running: [],
  restarting: false
}

describe('scheduler › 11.5 ticks at second 0 of each minute', () => {
  it('the first tick is at second 0 of the next minute', () => {
    expect(driveScheduler(at('10:00:00.001')).dueAt()).to.equal(at('10:01:00'))
    expect(driveScheduler(at('10:00:59.999')).dueAt()).to.equal(at('10:01:00'))
  })
  it('a scheduler that begins on the minute waits for the next one', () => {
    expect(driveScheduler(at('10:00:00')).dueAt()).to.equal(at('10:01:00'))
  })
  it('one tick a minute', () => {
    const { stage, ticks } = driveScheduler(at('10:00:30'))
    ticks.length = 0
    stage.advance(5 * MINUTE)
    expect(ticks).to.deep.equal(['10:01:00', '10:02:00', '10:03:00', '10:04:00', '10:05:00'].map(at))
  })
  it('a late tick does not shift the ones after it', () => {
    const { stage, dueAt } = driveScheduler(at('10:00:30'))
    stage.now = at('10:01:07')
    stage.the('alarm').answer('alarm.rang')
    expect(dueAt()).to.equal(at('10:02:00'))
  })
  it('reports the latest tick, for the health check', () => {
    const { stage, actor } = driveScheduler(at('10:00:30'))
    expect(actor.getSnapshot().context.tickedAt).to.equal(at('10:00:30'))
    stage.advance(2 * MINUTE)
    expect(actor.getSnapshot().context.tickedAt).to.equal(at('10:02:00'))
  })
})

describe('scheduler › 11.13 missed minutes are not backfilled', () => {
  it('after an hour asleep there is one tick, then the next minute', () => {
    const { stage, ticks, dueAt } = driveScheduler(at('10:00:30'))
    ticks.length = 0
    stage.now = at('11:00:15')
    const missed = stage.the('alarm')
    missed.over = true
    missed.answer('alarm.rang')
    expect(ticks).to.deep.equal([at('11:00:15')])
    expect(dueAt()).to.equal(at('11:01:00'))
  })
})

describe('scheduler › what is due is decided', () => {
  it('each tick asks what is due in its minute; a late one in the minute that it is', () => {
    const { stage, received } = driveScheduler(at('10:00:30'))
    stage.advance(MINUTE)
    stage.now = at('10:05:07')
    stage.the('alarm').answer('alarm.rang')
    expect(received('look').map((said) => (said as never as { minute: number }).minute)).to.deep.equal(
      ['10:01:00', '10:05:00'].map(at)
    )
  })
  it('a start that is due is asked for; how it went is kept', () => {
    const { stage, looked, received } = driveScheduler(at('10:00:30'))
    looked({})
    const [asked] = received('start') as unknown as { due: Due; how: string }[]
    expect(asked).to.deep.include({ how: 'start' })
    expect(received('note')).to.deep.equal([])
    stage.the('timetable').answer('start.answered', {
      due: asked?.due,
      how: 'start',
      outcome: 'begun',
      limit: 1,
      queues: true
    })
    expect(received('note')).to.have.length(1)
    expect(received('note')[0]).to.nested.include({ 'decision.outcome': 'fired', 'decision.slot': at('10:01:00') })
  })
  it('11.9 a start that meets its limit is enqueued when more than one may be active, else dropped', () => {
    for (const [limit, queues, wanted] of [
      [2, true, ['start', 'enqueue']],
      [1, true, ['start']],
      [2, false, ['start']]
    ] as const) {
      const { stage, looked, received, reasons } = driveScheduler(at('10:00:30'))
      looked({})
      stage.the('timetable').answer('start.answered', { due: NOTHING, how: 'start', outcome: 'full', limit, queues })
      expect(received('start').map((said) => (said as never as { how: string }).how)).to.deep.equal(wanted)
      expect(reasons()).to.deep.equal(wanted.length === 1 ? ['limit'] : [])
    }
  })
  it('11.9 a queue that takes no more drops it', () => {
    const { stage, reasons } = driveScheduler(at('10:00:30'))
    const full = { due: NOTHING, how: 'enqueue', outcome: 'full', limit: 2, queues: true }
    stage.the('timetable').answer('start.answered', full)
    expect(reasons()).to.deep.equal(['limit'])
  })
  it('a start that fails is kept with its reason', () => {
    const { stage, received } = driveScheduler(at('10:00:30'))
    const failed = { due: NOTHING, how: 'start', outcome: 'failed', limit: 0, queues: true, error: 'no such file' }
    stage.the('timetable').answer('start.answered', failed)
    expect(received('note')[0]).to.nested.include({ 'decision.reason': 'invalid', 'decision.error': 'no such file' })
  })
  it('11.14 what is skipped is kept with its reason, and nothing is asked for', () => {
    const { looked, received, reasons } = driveScheduler(at('10:00:30'))
    looked({ suspended: true }, { kind: 'stop' }, { kind: 'restart' }, { decided: true })
    expect(reasons()).to.have.members(['suspended', 'nothing_running', 'nothing_running', 'decided'])
    expect(received('start')).to.deep.equal([])
  })
})

describe('scheduler › 11.11 restart', () => {
  const old = { name: 'a', dagRunId: 'r' }
  const found = (waitMs: number) => {
    const drive = driveScheduler(at('10:00:30'))
    drive.actor.send({ type: 'restart.found', key: old, waitMs })
    return drive
  }
  const restart = restartMachine.provide({ actors: invokedActors('alarm', 'ending', 'restart') })
  const openRestart = (stage: Stage) =>
    onStage(stage, createActor(restart, { input: { key: old, waitMs: 30_000 }, id: 'restart' }))
  it('a restart that is found is opened once', () => {
    const { actor, stage } = driveScheduler(at('10:00:30'), undefined, { restart })
    for (const _ of [1, 2]) actor.send({ type: 'restart.found', key: old, waitMs: 0 })
    const endings = stage.invoked.filter(({ slot }) => slot === 'ending')
    expect(endings).to.have.length(1)
  })
  it('a restart that throws does not take the scheduler down', () => {
    const { actor } = found(0) // its slots are not filled
    expect(actor.getSnapshot().status).to.equal('active')
  })
  it('waits until the run has ended, then restartWaitSec, then starts', () => {
    const stage = openStage()
    const actor = openRestart(stage).start()
    stage.advance(10_000)
    expect(actor.getSnapshot().value).to.equal('stopping')
    stage.the('ending').answer('run.over')
    expect((stage.the('alarm').input as AlarmInput).dueAt).to.equal(stage.now + 30_000)
    stage.advance(30_000)
    stage.the('restart').answer('run.restarted')
    expect(actor.getSnapshot().status).to.equal('done')
  })
  it('the wait is counted from the end of the run, so that a restart of the engine does not move it', () => {
    const stage = openStage()
    openRestart(stage).start()
    stage.the('ending').answer('run.over', { at: stage.now - 20_000 })
    expect((stage.the('alarm').input as AlarmInput).dueAt).to.equal(stage.now + 10_000)
  })
})
