/** Definitions with schedules on real actors and a real store, from a Monday morning on, under simulated time. */
import { temporaryFolder } from '../homes.ts'
import { MINUTE, type Schedules, scheduled, schedules, utc } from './schedules.ts'
import { simulatedClock } from './simulated-clock.ts'
import type { Script } from './simulation.ts'

const START = utc('2026-03-02T10:00:30') // a Monday
export const dag = (schedule: string, more = '') =>
  `schedule: ${schedule}\n${more}\nsteps:\n  - name: s\n    command: x\n`

/** An engine with definitions, by file name. @param set sets the schedules up before it begins */
export async function given(
  files: Record<string, string>,
  {
    start = START,
    script,
    set
  }: {
    start?: number
    script?: Script
    set?: (files: Schedules) => void
  } = {}
) {
  const given = schedules()
  for (const [name, text] of Object.entries(files)) given.put(name, text)
  set?.(given)
  const clock = simulatedClock(start)
  const home = temporaryFolder()
  const engine = await scheduled(home, given, clock, script)
  return {
    ...engine,
    files: given,
    home,
    /** The next engine, at an instant. */
    again: (at: number) => scheduled(home, given, simulatedClock(at, 2), script)
  }
}

/** The instant so many minutes after the begin. */
export const minutes = (count: number) => START + count * MINUTE
/** Steps that go on for ten minutes. */
export const long: Script = () => ({ ms: 10 * MINUTE, exitCode: 0 })
