/**
 * The environment of a machine in its tests: invoked actors that record the events they receive and answer when the test says
 * so, and a time that moves when the test moves it. Nothing here sleeps, and nothing happens by itself.
 */
import { type AnyActor, type AnyActorRef, type EventObject, fromCallback } from 'xstate'
import type { AlarmInput } from '../../../machines/slots.ts'

/** When every test begins, epoch ms. */
export const START = 1_000_000

/** An invoked actor at work. */
export interface InvokedStub {
  /** The slot that it fills. */
  slot: string
  /** Its own id. */
  id: string
  /** Id of the actor that it works for, such as `node/a`. */
  of: string
  input: unknown
  /** The events it has received, in order, without their instants. */
  received: EventObject[]
  /** No longer at work: its actor has stopped it, or its alarm has rung. */
  over: boolean
  /** Reports an event; `at` is now unless the facts say otherwise. */
  answer(type: string, facts?: object): void
}

export interface Stage {
  now: number
  readonly invoked: InvokedStub[]
  /** Has invoked actors of a slot, or of `<id of their actor>/<slot>`, throw when they are started, so many times. */
  breaks(slot: string, times?: number): void
  /** Adds an invoked actor. @throws Error when its slot is broken */
  add(stub: InvokedStub): void
  /** Invoked actors at work, oldest first. */
  live(slot: string, of?: string): InvokedStub[]
  /** The one invoked actor at work. @throws Error when there is none, or more than one */
  the(slot: string, of?: string): InvokedStub
  /** Lets time pass; alarms ring at their time, one after the other. */
  advance(ms: number): void
}

/** By actor system. A machine with its slots filled is made once and serves all stages: making one costs as much as a short test. */
const stages = new WeakMap<AnyActor['system'], Stage>()

/** Puts a root actor that has not started yet on a stage. */
export function onStage<A extends Pick<AnyActor, 'system'>>(stage: Stage, actor: A): A {
  stages.set(actor.system, stage)
  return actor
}

/** Fills a slot: its invoked actors join the stage that their root actor is on. */
export const invokedActor = (slot: string) =>
  fromCallback<EventObject, never>(({ input, self, system, sendBack, receive }) => {
    const stage = stages.get(system)
    if (!stage) throw new Error(`${slot}: its root actor is on no stage`)
    const of = (self._parent as AnyActorRef | undefined)?.id ?? ''
    const answer: InvokedStub['answer'] = (type, facts) => sendBack({ type, at: stage.now, ...facts })
    const stub: InvokedStub = { slot, id: self.id, of, input, received: [], over: false, answer }
    stage.add(stub)
    receive(({ at: _, ...said }: EventObject & { at?: number }) => {
      stub.received.push(said)
      if (said.type !== 'alarm.set') return
      stub.input = { ...(stub.input as AlarmInput), ...said }
      stub.over = false
    })
    return () => {
      stub.over = true
    }
  })

/** Fills slots. */
export const invokedActors = (...slots: string[]) =>
  Object.fromEntries(slots.map((slot) => [slot, invokedActor(slot)])) as never // their events and input are `EventObject` and `unknown` here

export function openStage(): Stage {
  const invoked: InvokedStub[] = []
  const broken = new Map<string, number>()
  const breakage = (slot: string) => {
    const times = broken.get(slot) ?? 0
    if (times > 0) broken.set(slot, times - 1)
    return times > 0
  }
  const live = (slot: string, of?: string) =>
    invoked.filter((stub) => !stub.over && stub.slot === slot && (of === undefined || stub.of === of))
  const dueAt = (stub: InvokedStub) => (stub.input as AlarmInput).dueAt
  const stage: Stage = {
    now: START,
    invoked,
    breaks: (slot, times = Number.POSITIVE_INFINITY) => void broken.set(slot, times),
    live,
    add(stub) {
      const { slot, of } = stub
      if (breakage(slot) || breakage(`${of}/${slot}`)) throw new Error(`${slot} is broken`)
      invoked.push(stub)
    },
    the(slot, of) {
      const found = live(slot, of)
      const [stub] = found
      if (stub && found.length === 1) return stub
      throw new Error(`wanted one live ${slot} of ${of ?? 'any actor'}, found ${found.length}`)
    },
    advance(ms) {
      const until = stage.now + ms
      for (;;) {
        const [next] = live('alarm').sort((a, b) => dueAt(a) - dueAt(b))
        if (!next || dueAt(next) > until) break
        stage.now = Math.max(stage.now, dueAt(next))
        next.over = true // an alarm rings once, unless it is set again
        const { name } = next.input as AlarmInput
        next.answer('alarm.rang', name === undefined ? {} : { name })
      }
      stage.now = until
    }
  }
  return stage
}
