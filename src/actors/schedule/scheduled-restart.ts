/** Actors of a restart by a schedule: end of the stopped run, and the run in its place. Source: execution-semantics 11.11. */
import { fromCallback } from 'xstate'
import { restartMachine } from '../../../machines/restart.ts'
import type { RunKey } from '../../../machines/vocabulary.ts'
import type { Changes } from '../../store/changes.ts'
import { runRecord } from '../../store/history.ts'
import type { Store } from '../../store/open.ts'
import type { StoredRestart } from '../../store/stored.ts'
import { alarm } from '../pace/alarm.ts'
import type { RunRequest } from '../root/run-request.ts'
import type { Services } from '../root/services.ts'
import type { System } from '../root/system-parts.ts'

export interface RestartParts extends Pick<Services, 'clock' | 'transactions'> {
  store: Store
  start: System['start']
  /** Resolves when a run has ended and that is on disk. */
  ended(key: RunKey): Promise<void>
  /** Resolves when every run that was open before a restart is open again. */
  recovered: Promise<void>
  /** Restarts under way, by the id of the old run. Shared with retention: such a run is needed. */
  restarts: Map<string, StoredRestart>
  fault(error: unknown): void
}

const pairOf = ({ name, dagRunId }: RunKey): [string, string] => [name, dagRunId]
export const restartKey = (key: RunKey): string => pairOf(key).join('/')

/** Puts a restart on record: it outlives the engine. */
export function keepRestart({ restarts, transactions }: RestartParts, key: RunKey, restart: StoredRestart): void {
  restarts.set(restartKey(key), restart)
  transactions.changes.scheduling.restarts.set(restartKey(key), { key: pairOf(key), value: restart })
}

/** @param run request the run that takes the place of another one: same text, same params, this id. It throws a TroupeError */
export const restartLogic = (
  parts: RestartParts,
  runRequest: (key: RunKey, dagRunId: string) => Promise<RunRequest>
): typeof restartMachine =>
  restartMachine.provide({
    actors: { alarm: alarm(parts), ending: ending(parts), restart: restart(parts, runRequest) }
  })

const ending = ({ store, clock, transactions, recovered, ended }: RestartParts) =>
  fromCallback<{ type: 'ending.stop' }, RunKey>(({ input: key, sendBack }) => {
    let isOpen = true
    void recovered
      .then(() => ended(key))
      .then(() => {
        const at = runRecord(store, key)?.finishedAt ?? clock.now()
        if (isOpen) transactions.take(() => sendBack({ type: 'run.over', at }))
      })
    return () => {
      isOpen = false
    }
  })

/** The record of the restart goes in the turn that stores the new run: it is begun once. */
const restart = (
  { clock, transactions, restarts, start, fault }: RestartParts,
  runRequest: (key: RunKey, dagRunId: string) => Promise<RunRequest>
) =>
  fromCallback<{ type: 'restart.stop' }, RunKey>(({ input: key, sendBack }) => {
    const done = (changes: Changes) => {
      restarts.delete(restartKey(key))
      changes.scheduling.restarts.set(restartKey(key), { key: pairOf(key) })
    }
    async function begin() {
      const { dagRunId } = restarts.get(restartKey(key)) ?? {}
      if (dagRunId === undefined) return
      const wanted = await runRequest(key, dagRunId)
      const admission = await start({ ...wanted, note: done })
      if (admission.type === 'start.refused')
        throw new Error(`run ${key.dagRunId} of ${key.name} was stopped, and no new one starts: ${admission.reason}`)
    }
    void begin()
      .catch(fault)
      .then(() =>
        transactions.take(() => {
          if (restarts.has(restartKey(key))) done(transactions.changes)
          sendBack({ type: 'run.restarted', at: clock.now() })
        })
      )
    return () => {}
  })
