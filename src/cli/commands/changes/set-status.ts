/** `troupe set-status`: the status of a step of an ended run, by hand; the next retry follows it. Source: api-semantics 4.8; our addition. */
import { NODE_STATUSES } from '../../../../machines/vocabulary/lists.ts'
import { SettableStatusNumber } from '../../../api/contract/statuses.ts'
import { TroupeError } from '../../../errors.ts'
import { didYouMean } from '../../../nearest.ts'
import type { CommandModule } from '../../input/command.ts'
import { keyOf, requestedRun, stepNamed } from '../../input/requested-run.ts'
import { act } from '../../owner/answer.ts'
import { oneLine } from '../../view/text.ts'

/** All but the last: that one follows from what a step did. */
const SETTABLE = NODE_STATUSES.slice(0, SettableStatusNumber.maximum + 1)

export const run: CommandModule['run'] = async (args, context) => {
  const [, step = '', word = ''] = args.operands
  const label = statusOf(word)
  const { output } = args.text
  const body = { status: NODE_STATUSES.indexOf(label), ...(output === undefined ? {} : { output }) }
  return act(
    args,
    context,
    async (client) => {
      const run = await requestedRun(args, context, client)
      const { name, dagRunId } = keyOf(run)
      const path = { name, dagRunId, stepName: step }
      const subDAGRunId = args.text['sub-run-id']
      if (subDAGRunId === undefined) {
        stepNamed(step, run)
        await client.api.setStepStatus({ path, body })
      } else await client.api.setSubRunStepStatus({ path: { ...path, subDAGRunId }, body })
      return { name, dagRunId, ...(subDAGRunId === undefined ? {} : { subRunId: subDAGRunId }), step }
    },
    (target, write) =>
      write({ set: { ...target, statusLabel: label } }, () => [
        oneLine(
          `step ${step} is ${label.replace('_', ' ')} (run ${target.dagRunId} of ${target.name}); a retry follows it`
        )
      ])
  )
}

/** @throws TroupeError bad_request */
function statusOf(word: string): (typeof NODE_STATUSES)[number] {
  const found = SETTABLE.find((status) => status === word.replace(/[ -]/, '_'))
  if (found) return found
  const what = word === '' ? 'none' : `${JSON.stringify(word)}${didYouMean(word, SETTABLE)}`
  throw new TroupeError('bad_request', `set-status: wanted a status, one of ${SETTABLE.join(', ')}, found ${what}`)
}
