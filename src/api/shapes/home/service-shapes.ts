/** The server's own parts as JSON: scheduler, resources. Source: api-semantics 3.1. */
import type { Health, ResourceSample } from '../../../engine/engine.ts'
import type { Shape } from '../../../schema/schema.ts'
import type { Resources, Scheduler } from '../../contract/service-shapes.ts'
import type { TimeText } from '../time-text.ts'

/** @param host name of the machine @param pid of the process that schedules */
export const schedulersShape = (
  { scheduling, startedAt }: Health,
  host: string,
  pid: number,
  time: TimeText
): { schedulers: Shape<typeof Scheduler>[] } => ({
  schedulers: [
    {
      instanceId: `${host}-${pid}-${Math.floor(startedAt / 1_000)}`,
      host,
      status: scheduling ? 'active' : 'inactive',
      startedAt: time(startedAt)
    }
  ]
})

export const resourcesShape = (samples: readonly ResourceSample[]): Shape<typeof Resources> => ({
  cpu: series(samples, ({ cpu }) => cpu),
  memory: series(samples, ({ memory }) => memory),
  disk: series(samples, ({ disk }) => disk),
  load: series(samples, ({ load }) => load)
})

const series = (samples: readonly ResourceSample[], read: (sample: ResourceSample) => number | undefined) =>
  samples.flatMap((sample) => {
    const value = read(sample)
    return value === undefined ? [] : [{ timestamp: Math.floor(sample.at / 1_000), value }]
  })
