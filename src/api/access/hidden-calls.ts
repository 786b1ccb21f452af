/** A text of somebody who must not see every definition calls none that is hidden from them. Source: docs/authentication.md "Roles". */
import type { Plan, Step } from '../../../machines/vocabulary.ts'
import { isEnough } from '../../config.ts'
import type { Engine } from '../../engine/engine.ts'
import { TroupeError } from '../../errors.ts'
import type { Sight } from './sight.ts'

/** Evaluated when the step runs, or a path: it may lead to any definition. */
const NO_NAME = /[$`/]/

// D1583: the schedule runs a stored text without asking who wrote it
/** @throws TroupeError bad_request, with the same words for what is hidden and for what is not there */
export async function refuseHiddenCalls(
  engine: Engine,
  sight: Pick<Sight, 'file'>,
  text: string,
  fallback: string
): Promise<void> {
  // A text that cannot run is refused for that.
  const { plan } = await engine.validate(text, fallback)
  if (!plan) return
  const locals = new Set(plan.locals.map(({ name }) => name))
  const errors: string[] = []
  for (const { name, call } of [plan, ...plan.locals].flatMap(stepsOf)) {
    if (call === undefined || locals.has(call)) continue
    if (NO_NAME.test(call))
      errors.push(
        `step ${name}: call: wanted the name of a definition, found ${JSON.stringify(call)}: who may not see every definition calls them by name`
      )
    else if (!(await isSeen(sight, call))) errors.push(`step ${name}: call: there is no definition named ${call}`)
  }
  if (errors.length > 0)
    throw new TroupeError('bad_request', `invalid spec: ${errors.join('; ')}`, { details: { errors } })
}

const stepsOf = ({ steps, handlers }: Plan): Step[] => [...steps, ...Object.values(handlers)]

async function isSeen(sight: Pick<Sight, 'file'>, call: string): Promise<boolean> {
  const found = await sight.file(call.replace(/\.ya?ml$/, ''))
  return found !== undefined && isEnough(found.role, 'viewer')
}
