/** `troupe explain`: why a run and its steps wait, or why they ended as they did. Source: docs/inspect.md. */
import { TroupeError } from '../../../errors.ts'
import type { CommandModule } from '../../input/command.ts'
import { fileNameOf } from '../../input/dag-name.ts'
import { foundRun, hasId, keyOf } from '../../input/requested-run.ts'
import { lookAt } from '../../owner/looked-at.ts'
import { ofDefinition } from '../../owner/no-runs.ts'
import { reasonLines, valueLines } from '../../view/inspection.ts'

export const run: CommandModule['run'] = async (args, context) => {
  const ofRun = hasId(args) ? '--run-id' : args.text.step === undefined ? undefined : '--step'
  const isDefinition = args.on.has('definition')
  if (isDefinition && ofRun)
    throw new TroupeError('bad_request', `explain: wanted --definition or ${ofRun}, found both`)
  const { step = '' } = args.text
  const isOfValues = args.on.has('values')
  if (isOfValues && step === '') throw new TroupeError('bad_request', 'explain: wanted --step STEP beside --values')
  return lookAt(args, context, async ({ api, client, run, paint, tz, write }) => {
    const found = isDefinition ? undefined : ofRun ? await run() : await foundRun(args, context, client)
    const fileName = fileNameOf(args.operand)
    const explanation = found
      ? await api.explainRun({ path: keyOf(found), query: { step: args.text.step } })
      : await ofDefinition(api, fileName, api.explainDag({ path: { fileName } }))
    const values =
      found && isOfValues ? await api.getStepValues({ path: { ...keyOf(found), stepName: step } }) : undefined
    write(values ? { ...explanation, values } : explanation, () =>
      reasonLines(explanation, paint, tz).concat(values ? valueLines(values, paint) : [])
    )
  })
}
