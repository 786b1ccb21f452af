/** The run that a list of definitions shows. Source: api-semantics 3.2 (latestDAGRun), 10.2 (latestStatusToday). */
import type { RunRecord } from '../../machines/vocabulary.ts'
import type { Engine } from '../engine.ts'
import { timeTextIn } from './time-text.ts'

/** By DAG name: a running run if there is one, else the newest; where it is so configured, none of an earlier day that has ended. */
export function latestShown(engine: Engine): (name: string) => RunRecord | undefined {
  const { latestStatusToday, tz } = engine.config
  if (!latestStatusToday) return engine.latest
  const time = timeTextIn(tz)
  const dayOf = (at: number) => time(at).slice(0, 'yyyy-mm-dd'.length)
  return (name) => {
    const run = engine.latest(name)
    const isOld = run && dayOf(run.startedAt ?? run.createdAt) < dayOf(engine.now())
    return isOld && run.finishedAt !== undefined ? undefined : run
  }
}
