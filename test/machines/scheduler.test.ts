/** Ticks. Source: execution-semantics 11.5, 11.13. */
import { expect } from 'chai'
import { createActor } from 'xstate'
import { schedulerMachine } from '../../machines/scheduler.ts'
import type { AlarmInput } from '../../machines/slots.ts'
import { openStage } from '../support/stage.ts'

const MINUTE = 60_000
const at = (time: string) => Date.parse(`2025-03-09T${time}Z`)

function driveScheduler(start: number, snapshot?: unknown) {
  const stage = openStage()
  stage.now = start
  const logic = schedulerMachine.provide({ actors: { alarm: stage.companion('alarm') } as never })
  const given = snapshot === undefined ? {} : { snapshot: snapshot as never }
  const actor = createActor(logic, { input: { at: start }, ...given })
  const ticks: number[] = []
  actor.subscribe(({ context }) => ticks.push(context.tickedAt))
  actor.start()
  return { stage, actor, ticks, dueAt: () => (stage.the('alarm').input as AlarmInput).dueAt }
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
  it('tells the latest tick, for health', () => {
    const { stage, actor } = driveScheduler(at('10:00:30'))
    expect(actor.getSnapshot().context.tickedAt).to.equal(at('10:00:30'))
    stage.advance(2 * MINUTE)
    expect(actor.getSnapshot().context.tickedAt).to.equal(at('10:02:00'))
  })
})

describe('scheduler › 11.13 missed minutes are not made up', () => {
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
