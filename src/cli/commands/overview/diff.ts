/** `troupe diff`: what is different between two runs, by default between a run and the last successful one before it. Our addition. */
import type { RunKey } from '../../../../machines/vocabulary.ts'
import { TroupeError } from '../../../errors.ts'
import { shellWord } from '../../../platform/shell/shell-word.ts'
import type { CliContext } from '../../context.ts'
import type { Arguments, CommandModule } from '../../input/command.ts'
import { keyOf, requestedRun } from '../../input/requested-run.ts'
import { show } from '../../owner/answer.ts'
import { runsOf } from '../../owner/known-runs.ts'
import type { OpenClient } from '../../owner/opened.ts'
import { diffLines } from '../../view/diff-lines.ts'
import { begunAt } from '../../view/run-rows.ts'

/** The API has the ends of periods in seconds: of one second there may be later runs. */
const SECOND_MS = 1_000
const MOST = 1_000
const LAST_INSTANT_MS = 8e15

export const run: CommandModule['run'] = (args, context) =>
  show(args, context, async ({ client, api, paint, room, write }) => {
    const [before, after] = await bothRuns(args, context, client)
    const diff = await api.compareRuns({ path: after, query: { with: before.dagRunId } })
    write({ before, after, ...diff }, () => diffLines(before, after, diff, paint, room))
  })

/** @throws TroupeError not_found */
async function bothRuns(args: Arguments, context: CliContext, client: OpenClient): Promise<[RunKey, RunKey]> {
  const named = (operand: string) => requestedRun({ operand, text: {} }, context, client)
  const first = await named(args.operand)
  const [, second = ''] = args.operands
  if (second !== '') return [keyOf(first), keyOf(await named(second))]
  const { name, dagRunId } = first
  const until = begunAt(first) ?? LAST_INSTANT_MS
  const earlier = await runsOf(client.api, { name, status: ['succeeded'], to: until + SECOND_MS }, MOST)
  const success = earlier.find((run) => run.dagRunId !== dagRunId && (begunAt(run) ?? 0) <= until)
  if (success) return [keyOf(success), keyOf(first)]
  throw new TroupeError(
    'not_found',
    `no run of ${name} succeeded before run ${first.dagRunId}: name the run to compare with, as in troupe diff ${shellWord(`${name}:ID`)} ${shellWord(`${name}:${first.dagRunId}`)}`
  )
}
