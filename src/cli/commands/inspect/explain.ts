/** `troupe explain`: why a run and its steps wait, or why they ended as they did. Source: docs/inspect.md. */
import { TroupeError } from '../../../errors.ts'
import type { CommandModule } from '../../input/command.ts'
import { fileNameOf } from '../../input/dag-name.ts'
import { runOf } from '../../owner/known-runs.ts'
import { lookAt } from '../../owner/looked-at.ts'
import { reasonLines } from '../../view/inspection.ts'

export const run: CommandModule['run'] = async (args, context) => {
  const ofRun = (['run-id', 'step'] as const).find((flag) => args.text[flag] !== undefined)
  if (args.on.has('definition') && ofRun)
    throw new TroupeError('bad_request', `explain: wanted --definition or --${ofRun}, found both`)
  return lookAt(args, context, async ({ api, key, name, paint, tz, write }) => {
    const isDefinition = args.on.has('definition') || (!ofRun && !(await runOf(api, { name })))
    const explanation = isDefinition
      ? await api.explainDag({ path: { fileName: fileNameOf(args.operand) } })
      : await api.explainRun({ path: key, query: { step: args.text.step } })
    write(explanation, () => reasonLines(explanation, paint, tz))
  })
}
