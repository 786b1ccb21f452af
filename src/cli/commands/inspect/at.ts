/** `troupe at`: the state of every actor of a run at an earlier event. Source: docs/inspect.md. */
import { actorsShape } from '../../../api/shapes/fact-shapes.ts'
import { timeTextIn } from '../../../api/shapes/time-text.ts'
import { TroupeError } from '../../../errors.ts'
import type { CommandModule } from '../../input/command.ts'
import { eventNumber, lookAt } from '../../owner/looked-at.ts'
import { actorLines } from '../../view/inspection.ts'

export const run: CommandModule['run'] = (args, context) =>
  lookAt(args, context, async ({ client, key, paint, tz, write }) => {
    const at = eventNumber(args, 'event')
    if (at === undefined)
      throw new TroupeError('bad_request', 'at: wanted --event with the number of an event; troupe events lists them')
    const inspected = await client.facts.run(key, at)
    write(actorsShape(inspected, timeTextIn(tz)), () => actorLines(inspected, paint, tz))
  })
