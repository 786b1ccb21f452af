/** `troupe rename`: gives a stored definition another name. Source: api-semantics 5; our addition. */
import { TroupeError } from '../../../errors.ts'
import type { CommandModule } from '../../input/command.ts'
import { storedName } from '../../input/dag-name.ts'
import { act } from '../../owner/answer.ts'
import { ofDefinition } from '../../owner/no-runs.ts'

export const run: CommandModule['run'] = async (args, context) => {
  const [was = '', is = ''] = args.operands
  if (is === '') throw new TroupeError('bad_request', `rename: wanted a definition and its new name, found ${was}`)
  const [fileName, newFileName] = [storedName(was), storedName(is)]
  return act(
    args,
    context,
    ({ api }) => ofDefinition(api, fileName, api.renameDag({ path: { fileName }, body: { newFileName } })),
    (_done, write) => write({ renamed: { fileName, newFileName } }, () => [`${fileName} is now called ${newFileName}`])
  )
}
