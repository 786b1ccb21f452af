/** `troupe list`: the definitions of a home, with their last run and their next start. Our addition. */
import type { CommandModule } from '../../input/command.ts'
import { show } from '../../owner/answer.ts'
import { definitionsOf } from '../../owner/known-runs.ts'
import { definitionLines } from '../../view/run-rows.ts'

export const run: CommandModule['run'] = (args, context) =>
  show(args, context, async ({ client, api, paint, tz, now, room, write }) => {
    const definitions = await definitionsOf(api)
    const dags = definitions.map(({ fileName, dag, suspended, errors, latestDAGRun }) => ({
      fileName,
      name: dag.name,
      suspended,
      problems: errors.length,
      tags: dag.tags,
      nextRun: dag.nextRun,
      latestDAGRun: latestDAGRun.dagRunId === '' ? null : latestDAGRun
    }))
    const lines = () => definitionLines(definitions, paint, { now: now(), tz, room })
    write({ dags }, lines, `no definition is in ${client.dagsDir}`)
  })
