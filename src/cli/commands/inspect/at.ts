/** `troupe at`: the state of every actor of a run at an earlier event. Source: docs/inspect.md. */
import { TroupeError } from '../../../errors.ts'
import type { CommandModule } from '../../input/command.ts'
import { keyOf } from '../../input/requested-run.ts'
import { eventNumber, lookAt } from '../../owner/looked-at.ts'
import { actorLines } from '../../view/inspection.ts'

export const run: CommandModule['run'] = (args, context) =>
  lookAt(args, context, async ({ api, run, paint, tz, write }) => {
    const at = eventNumber(args, 'event')
    if (at === undefined)
      throw new TroupeError('bad_request', 'at: wanted --event with the number of an event; troupe events lists them')
    const inspected = await api.getActors({ path: keyOf(await run()), query: { at } })
    write(inspected, () => actorLines(inspected, paint, tz))
  })
