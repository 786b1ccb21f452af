/** `troupe explain`: why a run and its steps wait, or why they ended as they did. Source: docs/inspect.md. */
import type { Client } from '../../../client/index.ts'
import { TroupeError } from '../../../errors.ts'
import { didYouMean } from '../../../nearest.ts'
import type { CommandModule } from '../../input/command.ts'
import { fileNameOf } from '../../input/dag-name.ts'
import { foundRun, hasId, keyOf } from '../../input/requested-run.ts'
import { knownNames } from '../../owner/known-runs.ts'
import { lookAt } from '../../owner/looked-at.ts'
import { reasonLines } from '../../view/inspection.ts'

export const run: CommandModule['run'] = async (args, context) => {
  const ofRun = hasId(args) ? '--run-id' : args.text.step === undefined ? undefined : '--step'
  const isDefinition = args.on.has('definition')
  if (isDefinition && ofRun)
    throw new TroupeError('bad_request', `explain: wanted --definition or ${ofRun}, found both`)
  return lookAt(args, context, async ({ api, client, run, paint, tz, write }) => {
    const found = isDefinition ? undefined : ofRun ? await run() : await foundRun(args, context, client)
    const explanation = found
      ? await api.explainRun({ path: keyOf(found), query: { step: args.text.step } })
      : await definitionExplained(api, fileNameOf(args.operand))
    write(explanation, () => reasonLines(explanation, paint, tz))
  })
}

async function definitionExplained(api: Client, fileName: string) {
  try {
    return await api.explainDag({ path: { fileName } })
  } catch (cause) {
    if (!(cause instanceof TroupeError && cause.message.startsWith('there is no definition named '))) throw cause
    throw new TroupeError('not_found', cause.message + didYouMean(fileName, await knownNames(api)), { cause })
  }
}
