/** What `troupe signal` and `troupe approve` have in common. */
import { JsonText } from '../../../client/request.ts'
import { exactText } from '../../../definition/text/exact-json.ts'
import type { CliContext } from '../../context.ts'
import type { Arguments } from '../../input/command.ts'
import { settingsOf } from '../../input/flags.ts'
import { requestedRun } from '../../input/requested-run.ts'
import { askEngine } from '../../owner/open-client.ts'
import { oneLine } from '../../view/text.ts'

/** @param said what is told when it is durable */
export async function giveSignal(
  args: Arguments,
  context: CliContext,
  payload: unknown,
  said: (step: string) => string
): Promise<number> {
  const { out, err } = context
  const isQuiet = args.on.has('quiet')
  const note = (text: string) => void (isQuiet || err.write(`${text}\n`))
  const [client, target] = await askEngine(context, settingsOf(args), note, async (client) => {
    const { name, dagRunId } = await requestedRun(args, context, client)
    const subRunId = args.text['sub-run-id']
    const [, step = ''] = args.operands
    const path = { name, dagRunId, stepName: step }
    const body = { payload: new JsonText(exactText(payload)), id: args.text.id ?? null }
    if (subRunId === undefined) await client.api.signalStep({ path, body })
    else await client.api.signalSubRunStep({ path: { ...path, subDAGRunId: subRunId }, body })
    return { name, dagRunId, ...(subRunId === undefined ? {} : { subRunId }), step }
  })
  try {
    if (args.on.has('json') && !isQuiet) out.write(`${exactText({ given: { ...target, payload } })}\n`)
    else if (!isQuiet) out.write(`${oneLine(said(target.step))} (run ${target.dagRunId} of ${target.name})\n`)
    await client.unneeded()
    return 0
  } finally {
    await client.close()
  }
}
