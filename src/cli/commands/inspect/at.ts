/** `troupe at`: what every actor of a run was doing at an event that has passed. Source: docs/inspect.md. */
import { actorsShape } from '../../../api/shapes/fact-shapes.ts'
import { timeTextIn } from '../../../api/shapes/time-text.ts'
import { TroupeError } from '../../../errors.ts'
import type { CommandRoom } from '../../input/command.ts'
import { eventNumber, lookAt } from '../../owner/looked-at.ts'
import { actorLines } from '../../view/facts.ts'

export const run: CommandRoom['run'] = (args, surroundings) =>
  lookAt(args, surroundings, async ({ door, key, paint, tz, write }) => {
    const at = eventNumber(args, 'event')
    if (at === undefined)
      throw new TroupeError('bad_request', 'at: wanted --event with the number of an event; troupe events lists them')
    const facts = await door.facts.run(key, at)
    write(actorsShape(facts, timeTextIn(tz)), () => actorLines(facts, paint, tz))
  })
