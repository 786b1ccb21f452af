/** A run whose definition in code has another version now: a state of the chart in `run.ts`. Source: docs/embedding/upgrades.md. */
import { withEvent } from '../with-event.ts'
import type { RunContext, RunEvent, SupersededFrom } from './run-context.ts'
import { runSetup } from './run-setup.ts'

const FROM: readonly SupersededFrom[] = ['preparing', 'checking', 'delaying', 'working']

/** Leads back to where the run was, with what else has to happen there. */
const back = (...also: ('startNoMore' | 'sendAgain')[]) =>
  FROM.map((from) => ({
    guard: { type: 'supersededIn' as const, params: { from } },
    target: from,
    actions: [
      ...(also.includes('startNoMore') ? ['startNoMore' as const] : []),
      ...(from === 'preparing' ? ['disarmTimeout' as const] : []),
      'resumeNodes' as const,
      'giveKept' as const,
      'forgetSuperseded' as const,
      ...(also.includes('sendAgain') ? ['sendAgain' as const] : [])
    ]
  }))

/** How a state of the run is left when the engine has another version of the definition. */
export const differsIn = (from: SupersededFrom) =>
  ({
    target: 'superseded',
    actions: [
      {
        type: 'noteSuperseded' as const,
        params: ({ event }: { event: { version: string; wanted: string } }) => ({ ...event, from })
      },
      'leaveNodes' as const
    ]
  }) as const

/** The instant of the event: the context has that of the last one that the run has noted. */
const now = ({ context, event }: { context: RunContext; event: RunEvent }) => ({
  at: 'at' in event ? event.at : context.at
})

export const superseded = runSetup.createStateConfig({
  description:
    'The engine has another version of the definition, and `onDrift` keeps the run from it. No step starts or goes on here; processes are left as they are, until an engine with the version of the run opens.',
  tags: 'running',
  entry: { type: 'leavePlace', params: now },
  exit: { type: 'takePlace', params: now },
  on: {
    'release.opened': back(),
    'signal.given': { guard: withEvent('takesSignal'), actions: withEvent('keepWhole') },
    'release.differs': { actions: withEvent('noteNewest') },
    // An event that ends the run is handled in the state that it came from.
    'run.stop': back('startNoMore', 'sendAgain'),
    'run.force': back('startNoMore', 'sendAgain'),
    'alarm.rang': back('startNoMore', 'sendAgain')
  }
})
