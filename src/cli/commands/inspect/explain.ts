/** `troupe explain`: why a run and its steps wait, or why they ended as they did. Source: docs/inspect.md. */
import { explainShape } from '../../../api/shapes/fact-shapes.ts'
import { timeTextIn } from '../../../api/shapes/time-text.ts'
import { TroupeError } from '../../../errors.ts'
import type { CommandModule } from '../../input/command.ts'
import { fileNameOf } from '../../input/dag-name.ts'
import { lookAt } from '../../owner/looked-at.ts'
import { reasonLines } from '../../view/inspection.ts'

export const run: CommandModule['run'] = async (args, context) => {
  const ofRun = (['run-id', 'step'] as const).find((flag) => args.text[flag] !== undefined)
  if (args.on.has('definition') && ofRun)
    throw new TroupeError('bad_request', `explain: wanted --definition or --${ofRun}, found both`)
  return lookAt(args, context, async ({ client, key, name, paint, tz, write }) => {
    const isDefinition = args.on.has('definition') || (!ofRun && !(await client.run(name)))
    const explanation = isDefinition
      ? await client.facts.explainDefinition(fileNameOf(args.operand))
      : await client.facts.explain(key, args.text.step)
    write(explainShape(explanation, timeTextIn(tz)), () => reasonLines(explanation, paint, tz))
  })
}
