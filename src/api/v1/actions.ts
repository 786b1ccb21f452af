/** The actions of `POST /api/v1/dags/{name}`: one path for everything. Source: api-semantics 9.4. */
import type { Engine, Requested, SettableStatus } from '../../engine/engine.ts'
import { TroupeError } from '../../errors.ts'
import { misfit } from '../../schema/fit.ts'
import { object, optional, text } from '../../schema/schema.ts'
import { NewRunId } from '../contract/body-fields.ts'
import { NewFileName } from '../contract/names.ts'
import { EDIT, type Need, RUN } from '../contract/needs.ts'
import { refuse } from '../rules/error-body.ts'
import { dagNameOf } from '../shapes/dag-names.ts'

const WORDS = ['start', 'suspend', 'stop', 'retry', 'mark-success', 'mark-failed', 'save', 'rename'] as const

export const ActionBody = object({
  action: { type: 'string', enum: WORDS },
  value: optional(text),
  requestId: optional(NewRunId),
  step: optional(text),
  params: optional(text)
})

export interface Action {
  action: (typeof WORDS)[number]
  value?: string | undefined
  requestId?: string | undefined
  step?: string | undefined
  params?: string | undefined
}

/** What each needs: that of the equivalent operation of the current API. */
export const ACTION_NEEDS: Record<Action['action'], Need> = {
  start: RUN,
  suspend: RUN,
  stop: RUN,
  retry: RUN,
  'mark-success': RUN,
  'mark-failed': RUN,
  save: EDIT,
  rename: EDIT
}

// D315: `POST /api/v1/dags/{name}` needs the permission of its action
/**
 * Performs it, and resolves with the answer.
 * @throws TroupeError bad_request naming the members that the action needs; and as `Engine` does
 */
export async function act(
  engine: Engine,
  fileName: string,
  asked: Action,
  requested: Requested,
  by: string
): Promise<object> {
  const { action, value, params } = asked
  const stored = engine.definition(fileName)
  const name = dagNameOf(stored)
  switch (action) {
    case 'start':
      await engine.start({ fileName, singleton: true, ...requested, ...(params === undefined ? {} : { params }) })
      return {}
    case 'suspend':
      if (value !== 'true' && value !== 'false')
        throw new TroupeError('bad_request', `field 'value': wanted "true" or "false"`)
      engine.suspendDefinition(fileName, value === 'true')
      return {}
    case 'stop': {
      const [running] = engine.runs({ name, status: ['running'], limit: 1 })
      if (!running) throw new TroupeError('not_running', `no run of ${name} is running`)
      await engine.stop(running, requested)
      return {}
    }
    case 'retry': {
      const { requestId: dagRunId } = needed(asked, 'requestId')
      await engine.retry({ name, dagRunId }, requested)
      return {}
    }
    case 'mark-success':
      return mark('succeeded')
    case 'mark-failed':
      return mark('failed')
    case 'save':
      refuse(await engine.replaceDefinition(fileName, needed(asked, 'value').value, { by }))
      return {}
    case 'rename': {
      const { value: newName } = needed(asked, 'value')
      const problem = misfit(NewFileName, newName)
      if (problem !== undefined) refuse([`field 'value': ${problem}`])
      await engine.renameDefinition(fileName, newName)
      return { NewName: newName }
    }
  }

  async function mark(status: SettableStatus): Promise<object> {
    const { requestId: dagRunId, step } = needed(asked, 'requestId', 'step')
    await engine.setNodeStatus({ root: { name, dagRunId }, step }, status)
    return {}
  }
}

function needed<K extends 'value' | 'requestId' | 'step'>(asked: Action, ...names: K[]): Record<K, string> {
  refuse(names.map((name) => (asked[name] ? undefined : `field '${name}': required for ${asked.action}`)))
  return asked as Record<K, string> // none of them is missing: that was refused
}
