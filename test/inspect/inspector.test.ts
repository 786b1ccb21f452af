/**
 * What an inspector receives, against two that do not know the engine: XState's own inspection of the same run, and a reading of the
 * protocol. Source: docs/inspect.md.
 */
import { expect } from 'chai'
import type { AnyActorRef, AnyMachineSnapshot, InspectionEvent } from 'xstate'
import { nothingYet, take } from '../../src/inspect/replay.ts'
import { inspectionRecords } from '../../src/inspect/stately.ts'
import { driveRun, type RunDrive } from '../support/charts/charts.ts'
import { plan, retry, step } from '../support/charts/plans.ts'
import { openStage } from '../support/charts/stage.ts'
import { picture } from '../support/inspect/inspector.ts'
import { ADDRESS, notedRun } from '../support/store/noted-run.ts'

interface Moment {
  actor: string
  event: string
  value: unknown
  status: string
}

/** An actor of the run by its id in XState; undefined: a room, which has no chart. */
const addressOf = (ref: AnyActorRef | undefined): string | undefined =>
  ref?.id === 'run' ? ADDRESS : ref && /^(?:node|handler)\/\w+$/.test(ref.id) ? `${ADDRESS}/${ref.id}` : undefined

/** Plays a run, once. @returns the moments as XState tells them, and the records that the engine tells of the same */
function told(workflow: ReturnType<typeof plan>, play: (run: RunDrive) => void) {
  const stage = openStage()
  const noted = notedRun(workflow, stage)
  const moments: Moment[] = []
  const parents = new Map<string, string | undefined>()
  const before = new Map<string, unknown>()
  const watch = (event: InspectionEvent) => {
    const actor = addressOf(event.actorRef as AnyActorRef)
    if (actor === undefined) return
    if (event.type === '@xstate.actor') parents.set(actor, addressOf((event.actorRef as AnyActorRef)._parent))
    if (event.type !== '@xstate.snapshot' || before.get(actor) === event.snapshot) return
    before.set(actor, event.snapshot)
    const { value, status } = event.snapshot as AnyMachineSnapshot
    moments.push({ actor, event: event.event.type, value, status })
  }
  play(driveRun(workflow, { stage, recorders: noted.recorders, watch }))
  const [state, introduced] = [nothingYet(), new Set<string>()]
  const records = noted.journal().flatMap((record) => {
    take(state, record)
    return inspectionRecords(record, { state, introduced })
  })
  return { moments, parents, records: JSON.parse(JSON.stringify(records)) }
}

const WORKFLOW = plan([step('a', { retry: retry({ limit: 1, interval: 1_000 }) }), step('b', { depends: ['a'] })], {
  handlers: { exit: step('onExit') }
})
const PLAYS: Record<string, (run: RunDrive) => void> = {
  'a retry, then success, then the handler': (run) => {
    run.prepared()
    run.ends('a', 1)
    run.stage.advance(1_000)
    run.ends('a')
    run.ends('b')
    run.ends('onExit')
  },
  'a failure that ends it': (run) => {
    run.prepared()
    run.ends('a', 1)
    run.stage.advance(1_000)
    run.ends('a', 1)
    run.ends('onExit')
  },
  'a stop while a step is at work': (run) => {
    run.prepared()
    run.stop()
    run.obeys()
    run.ends('onExit')
  }
}

describe('inspect › what an inspector receives', () => {
  for (const [title, play] of Object.entries(PLAYS))
    it(`${title}: every actor, event, state and end is what XState itself tells of the run`, () => {
      const { moments, parents, records } = told(WORKFLOW, play)
      const drawing = picture()
      for (const record of records) drawing.take(record)
      for (const [actor, parent] of parents) {
        const own = records.filter(({ type, sessionId }: never) => type === '@xstate.snapshot' && sessionId === actor)
        expect(
          own.map(({ event, snapshot: { value, status } }: Told) => ({ actor, event: event.type, value, status })),
          actor
        ).to.deep.equal(moments.filter((moment) => moment.actor === actor))
        expect(drawing.actors.get(actor), actor).to.include({ parent })
      }
      expect([...drawing.actors.keys()].sort()).to.deep.equal([...parents.keys()].sort())
    })
})

interface Told {
  event: { type: string }
  snapshot: { value: unknown; status: string }
}
