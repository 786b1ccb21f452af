/** `troupe versions NAME`: the texts that a definition has had; one of them shown, compared or restored. Our addition: docs/cli.md. */
import type { DefinitionVersion } from '../../../client/index.ts'
import { TroupeError } from '../../../errors.ts'
import { shellWord } from '../../../platform/shell/shell-word.ts'
import type { CommandModule } from '../../input/command.ts'
import { show } from '../../owner/answer.ts'
import { restored } from './restored.ts'
import { askedIn } from './version-arguments.ts'
import { diffOfVersions, versionLines } from './version-rows.ts'

// D1545: versions of a definition are named by numbers
export const run: CommandModule['run'] = async (args, context) => {
  const { fileName, show: shown, diff, restore } = askedIn(args)
  const { out, err, verbatim } = context
  let again: (() => Promise<number>) | undefined
  const code = await show(args, context, async ({ client, api, paint, tz, room, write }) => {
    const path = { fileName }
    const { versions } = await api.listVersions({ path })
    const textOf = async (number?: number) =>
      number === undefined
        ? (await api.getDagSpec({ path })).spec
        : (await api.getVersion({ path: { fileName, revision: revisionOf(versions, fileName, number) } })).spec
    if (restore !== undefined) {
      const version = { fileName, number: restore, text: await textOf(restore) }
      again = () => restored(args, context, client, version)
    } else if (shown !== undefined) {
      const spec = await textOf(shown)
      // As it is in its file, for a file; a terminal shows it.
      write({ fileName, number: shown, spec }, () => {
        ;(out.isTTY ? out : verbatim).write(spec)
        return []
      })
    } else if (diff) {
      const [number, other] = diff
      const [before, after] = [await textOf(number), await textOf(other)]
      const { patchOf } = await import('../../../engine/views/patch.ts')
      const patch = before === after ? '' : patchOf(before, after)
      const result = { fileName, before: number, after: other ?? null, isSame: before === after, diff: patch ?? null }
      write(result, () => diffOfVersions(number, other, patch, paint))
    } else {
      const lines = () => {
        if (!versions.some(({ isCurrent }) => isCurrent))
          err.write(`the text that ${fileName} has now is none of these: an engine notes it when it reads it\n`)
        return versionLines(versions, paint, tz, room)
      }
      write({ fileName, versions }, lines, `no version of ${fileName} is known`)
    }
  })
  // The audit entry of a restore opens the store, which a process has open once.
  return again ? again() : code
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
