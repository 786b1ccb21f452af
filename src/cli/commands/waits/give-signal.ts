/** What `troupe signal` and `troupe approve` have in common. */
import { JsonText } from '../../../client/request.ts'
import { exactText } from '../../../definition/text/exact-json.ts'
import type { CliContext } from '../../context.ts'
import type { Arguments } from '../../input/command.ts'
import { requestedRun } from '../../input/requested-run.ts'
import { act } from '../../owner/answer.ts'
import { oneLine } from '../../view/text.ts'

/** @param said what is told when it is durable */
export async function giveSignal(
  args: Arguments,
  context: CliContext,
  payload: unknown,
  said: (step: string) => string
): Promise<number> {
  return act(
    args,
    context,
    async (client) => {
      const { name, dagRunId } = await requestedRun(args, context, client)
      const subRunId = args.text['sub-run-id']
      const [, step = ''] = args.operands
      const path = { name, dagRunId, stepName: step }
      const body = { payload: new JsonText(exactText(payload)), id: args.text.id ?? null }
      if (subRunId === undefined) await client.api.signalStep({ path, body })
      else await client.api.signalSubRunStep({ path: { ...path, subDAGRunId: subRunId }, body })
      return { name, dagRunId, ...(subRunId === undefined ? {} : { subRunId }), step }
    },
    ({ name, dagRunId, ...target }, write) =>
      write(new JsonText(exactText({ given: { name, dagRunId, ...target, payload } })), () => [
        `${oneLine(said(target.step))} (run ${dagRunId} of ${name})`
      ])
  )
}
