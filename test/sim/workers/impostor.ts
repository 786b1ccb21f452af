/** Somebody who has the key of one worker, and says that tasks of the others have succeeded. */
import { subjectsOf } from '../../../src/bus/messages.ts'
import { writtenTask } from '../../../src/bus/tasks.ts'
import { homesOfTasks } from './bugs.ts'
import { CLUSTER } from './cluster.ts'
import type { WorkerMachine, World } from './world.ts'

const HOME = 'f'.repeat(16)
const subjects = subjectsOf(CLUSTER)
const RESULT = JSON.stringify({ exitCode: 0, notes: [] })

export function impostor({ net }: World, machines: readonly WorkerMachine[], number: number): void {
  const bus = net.open('impostor')
  for (const { life } of machines)
    for (const { task, lease, state } of life?.tasks?.held() ?? []) {
      if (state === 'ended' || life?.homeId === undefined) continue
      homesOfTasks.set(`${task}-${lease}`, life.homeId)
      const engine = life.worker?.engine()?.id
      if (engine === undefined) continue
      const said = {
        task,
        lease,
        engine,
        session: `${number}`,
        what: 'ended' as const,
        agoMs: 0,
        out: 0,
        err: 0,
        outFrom: 0,
        errFrom: 0
      }
      bus.tell(subjects.up(HOME, 'event'), writtenTask({ kind: 'event', ...said, result: RESULT }))
    }
}
