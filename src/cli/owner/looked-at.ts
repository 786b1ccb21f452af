/** What commands that inspect a run share: the requested run, and a client to read it with. Source: docs/inspect.md. */
import type { RunKey } from '../../../machines/vocabulary.ts'
import { messageOf, TroupeError } from '../../errors.ts'
import { didYouMean } from '../../nearest.ts'
import type { CliContext } from '../context.ts'
import type { Arguments } from '../input/command.ts'
import { dagNameOf } from '../input/dag-name.ts'
import { type Asking, show } from './answer.ts'
import { knownNames, LATEST } from './known-runs.ts'
import { hasNoRuns, noSuchRun } from './no-runs.ts'

export interface LookedAt extends Asking {
  /** DAG name. */
  name: string
  /** The id of the run is `latest` unless the user gave one. */
  key: RunKey
}

/** Shows what `look` finds of the requested run. Resolves with the exit code. */
export const lookAt = (
  args: Arguments,
  context: CliContext,
  look: (at: LookedAt) => Promise<unknown>
): Promise<number> =>
  show(args, context, async (asking) => {
    const { client, api } = asking
    const name = await dagNameOf(args.operand, client, { cwd: context.cwd, dagsDir: client.dagsDir })
    const id = args.text['run-id'] ?? LATEST
    await look({ ...asking, name, key: { name, dagRunId: id } }).catch(async (error) => {
      // No run has an id that cannot be one.
      const isNone = messageOf(error) === `no run ${id} of ${name}` || /^(path\.)?dagRunId: /.test(messageOf(error))
      if (error instanceof TroupeError && error.message.startsWith('there is no definition named '))
        throw new TroupeError('not_found', error.message + didYouMean(name, await knownNames(api)), { cause: error })
      if (!isNone) throw error
      const searched = { context, client }
      throw id === LATEST ? await hasNoRuns(name, searched) : await noSuchRun(name, id, searched)
    })
  })

/** A flag whose value is an event number. @throws TroupeError bad_request */
export function eventNumber(args: Arguments, flag: string): number | undefined {
  const text = args.text[flag]
  if (text === undefined) return undefined
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw new TroupeError('bad_request', `--${flag}: wanted the number of an event, found ${JSON.stringify(text)}`)
}
