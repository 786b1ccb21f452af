/** `troupe versions NAME --restore N`: saves an earlier text, checked as one that was edited. */
import { TroupeError } from '../../../errors.ts'
import type { CliContext } from '../../context.ts'
import type { Arguments } from '../../input/command.ts'
import { settingsOf } from '../../input/flags.ts'
import { mustLocate } from '../../input/locate.ts'
import type { OpenClient } from '../../owner/opened.ts'
import { oneLine } from '../../view/text.ts'
import { textHere, textThere } from '../edit/edited-text.ts'

interface Version {
  fileName: string
  number: number
  text: string
}

// D1546: a restore saves as `edit` does
/** @returns the exit code @throws TroupeError bad_request: it has problems, changed_meanwhile; nothing has changed then */
export async function restored(
  args: Arguments,
  context: CliContext,
  { dagsDir }: Pick<OpenClient, 'dagsDir'>,
  { fileName, number, text }: Version
): Promise<number> {
  const { on } = args
  const { out, err, remote } = context
  const config = context.configure(settingsOf(args))
  const edited = remote
    ? await textThere(fileName, remote)
    : // Not a file of this name in the working folder.
      await textHere(mustLocate(fileName, { cwd: dagsDir, dagsDir }), context, config)
  const answer = (saved: boolean, warnings: readonly string[], line: string) => {
    const about = { file: edited.shown, saved, number, warnings }
    if (!on.has('quiet')) out.write(on.has('json') ? `${JSON.stringify(about)}\n` : `${line}\n`)
    return 0
  }
  if (text === edited.original) return answer(false, [], `${edited.shown} has the text of version ${number} already`)
  const { problems, warnings } = await edited.check(text)
  for (const problem of problems) err.write(`- ${problem}\n`)
  if (problems.length > 0)
    throw new TroupeError('bad_request', `${edited.shown} is not saved: version ${number} has problems`)
  await edited.save(text)
  for (const warning of on.has('quiet') ? [] : warnings) err.write(`warning: ${edited.shown}: ${oneLine(warning)}\n`)
  return answer(true, warnings, `${edited.shown} has the text of version ${number} again`)
}
