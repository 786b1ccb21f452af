/** `troupe delete`: removes a stored definition; its runs stay. Source: api-semantics 5; our addition. */
import { TroupeError } from '../../../errors.ts'
import { isAgreed } from '../../foreground/question.ts'
import type { CommandModule } from '../../input/command.ts'
import { storedName } from '../../input/dag-name.ts'
import { settingsOf } from '../../input/flags.ts'
import { act } from '../../owner/answer.ts'
import { ofDefinition } from '../../owner/no-runs.ts'

export const run: CommandModule['run'] = async (args, context) => {
  const fileName = storedName(args.operand)
  if (!args.on.has('yes')) {
    const place = context.remote ? context.remote.url : context.configure(settingsOf(args)).dagsDir
    const answer = await isAgreed(`Delete the definition ${fileName} in ${place}? Its runs stay. [y/N] `, context)
    if (answer === undefined)
      throw new TroupeError('bad_request', 'delete: wanted --yes, as nobody is at a terminal to be asked')
    if (!answer) throw new TroupeError('bad_request', `delete: ${fileName} is not deleted: the answer was no`)
  }
  return act(
    args,
    context,
    ({ api }) => ofDefinition(api, fileName, api.deleteDag({ path: { fileName } })),
    (_done, write) => write({ deleted: { fileName } }, () => [`${fileName} is deleted; its runs stay`])
  )
}
