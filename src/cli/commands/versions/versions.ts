/** `troupe versions NAME`: the texts that a definition has had; one of them shown, compared or restored. Our addition: docs/cli.md. */
import type { DefinitionVersion } from '../../../client/index.ts'
import { TroupeError } from '../../../errors.ts'
import { shellWord } from '../../../platform/shell/shell-word.ts'
import type { CliContext } from '../../context.ts'
import type { Arguments, CommandModule } from '../../input/command.ts'
import { settingsOf } from '../../input/flags.ts'
import { openToRead } from '../../owner/open-client.ts'
import { paintFor } from '../../view/paint.ts'
import { roomIn } from '../../view/table.ts'
import { restored } from './restored.ts'
import { type Asked, askedIn } from './version-arguments.ts'
import { diffOfVersions, versionLines } from './version-rows.ts'

// D1545: versions of a definition are named by numbers
export const run: CommandModule['run'] = async (args, context) => {
  const asked = askedIn(args)
  const client = await openToRead(context, settingsOf(args))
  try {
    const { fileName } = asked
    const path = { fileName }
    const { versions } = await client.api.listVersions({ path })
    const textOf = async (number?: number) =>
      number === undefined
        ? (await client.api.getDagSpec({ path })).spec
        : (await client.api.getVersion({ path: { fileName, revision: revisionOf(versions, fileName, number) } })).spec
    if (asked.restore !== undefined) {
      const version = { fileName, number: asked.restore, text: await textOf(asked.restore) }
      // The audit entry of a restore opens the store, which a process has open once.
      await client.close()
      return await restored(args, context, client, version)
    }
    const written = await answer(asked, versions, { args, context, textOf })
    // As it is in its file, for a file; a terminal shows it.
    const isBytes = asked.show !== undefined && !context.out.isTTY
    if (!args.on.has('quiet')) (isBytes ? context.verbatim : context.out).write(written)
    return 0
  } finally {
    await client.close()
  }
}

interface Around {
  args: Arguments
  context: CliContext
  /** @param number absent: the text that the definition has */
  textOf(number?: number): Promise<string>
}

/** What is printed. */
async function answer(asked: Asked, versions: readonly DefinitionVersion[], around: Around): Promise<string> {
  const { args, context, textOf } = around
  const { fileName, show, diff } = asked
  const { environment, tz } = context.configure(settingsOf(args))
  const isJson = args.on.has('json')
  const paint = paintFor(context.out.isTTY, environment)
  if (show !== undefined) {
    const spec = await textOf(show)
    return isJson ? `${JSON.stringify({ fileName, number: show, spec })}\n` : spec
  }
  if (diff) {
    const [number, other] = diff
    const [before, after] = [await textOf(number), await textOf(other)]
    const { patchOf } = await import('../../../engine/views/patch.ts')
    const patch = before === after ? '' : patchOf(before, after)
    if (isJson)
      return `${JSON.stringify({ fileName, before: number, after: other ?? null, isSame: before === after, diff: patch ?? null })}\n`
    return `${diffOfVersions(number, other, patch, paint).join('\n')}\n`
  }
  if (isJson) return `${JSON.stringify({ fileName, versions })}\n`
  if (!versions.some(({ isCurrent }) => isCurrent) && !args.on.has('quiet'))
    context.err.write(`the text that ${fileName} has now is none of these: an engine notes it when it reads it\n`)
  return `${versionLines(versions, paint, tz, roomIn(context.out)).join('\n') || `no version of ${fileName} is known`}\n`
}

/** @throws TroupeError not_found */
function revisionOf(versions: readonly DefinitionVersion[], fileName: string, number: number): string {
  const found = versions.find((version) => version.number === number)
  if (found) return found.revision
  throw new TroupeError(
    'not_found',
    `${fileName} has no version ${number}: troupe versions ${shellWord(fileName)} lists them`
  )
}
