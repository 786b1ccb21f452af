/**
 * Enters each change and each refusal that comes by HTTP into the audit log: every operation of the contract that is not a mere read,
 * whatever it came to, and whatever was refused to somebody. Source: docs/operating/audit.md.
 */
import type { RouterMiddleware } from '@koa/router'
import type { Middleware, ParameterizedContext } from 'koa'
import type { Audit, Engine, NewEntry } from '../../engine/engine.ts'
import { clientOf } from '../client-address.ts'
import type { CommandState } from '../owner/calling-step.ts'
import { isForwarded } from '../remote/forward.ts'
import { requestIdOf } from '../rules/request-id.ts'
import { type Before, factsAfter, factsBefore } from './facts.ts'
import { currentOf } from './operation-of-v1.ts'
import { type AuditState, isChange, type Operation } from './state.ts'
import { callerIn, doorOf, type Entrance } from './who.ts'

export interface Auditing {
  /** Use it around everything that answers: enters what has come of the request. */
  answered: Middleware
  /** Use it in the routers, before the check of permissions. @param operationOf the operation of a request */
  recognize(operationOf: (ctx: ParameterizedContext) => Operation | undefined): RouterMiddleware
  /** Use it after the check of permissions: looks at what there is before the change. */
  before: RouterMiddleware
}

interface State extends AuditState, CommandState {
  auditBefore?: Before
}

const REFUSALS = new Set([401, 403, 429])
const MOST_PATH = 200
const MOST_REASON = 300
const MOST_NAME = 256

// D1456, D1458: lines of JSON in files, each with the hash of the one before; an entry is appended before its change is acknowledged
export function auditingOf(engine: Engine, audit: Audit, entrance: Entrance): Auditing {
  async function enter(ctx: ParameterizedContext): Promise<void> {
    const state: State = ctx.state
    const { operation, told } = state
    const change = told !== undefined || (operation !== undefined && isChange(operation))
    const wasRefused = REFUSALS.has(ctx.status) || state.isHidden === true
    if (!change && !wasRefused) return
    const entry = entryOf(ctx, entrance, audit.mask)
    if (change && entry.outcome === 'done') return audit.note({ ...entry, ...(told ? {} : await changeIn(ctx)) })
    // What has failed may have changed something all the same; it was not acknowledged.
    if (change && ctx.status >= 500) return audit.note(entry).catch(() => {})
    audit.refused(entry)
  }

  async function changeIn(ctx: ParameterizedContext): Promise<Pick<NewEntry, 'before' | 'after'>> {
    const { operation, asked = {}, auditBefore = { facts: {} } }: State = ctx.state
    if (!operation || isElsewhere(ctx, operation)) return {}
    const known = currentOf(operation, asked)
    try {
      const found = await factsAfter(engine, audit, known, { before: auditBefore, answer: answerIn(ctx) })
      return { ...part('before', found.before), ...part('after', found.after) }
    } catch {
      return {} // it is done: that alone is entered
    }
  }

  return {
    async answered(ctx, next) {
      await audit.answeredFor(next)
      await enter(ctx)
    },
    recognize: (operationOf) => async (ctx, next) => {
      const operation = operationOf(ctx)
      const state: State = ctx.state
      if (operation) state.operation = operation
      if (operation && isChange(operation)) audit.refuseWhileStuck()
      await next()
    },
    async before(ctx, next) {
      const { operation }: State = ctx.state
      if (operation && isChange(operation) && !isElsewhere(ctx, operation)) {
        const state: State = ctx.state
        state.auditBefore = factsBefore(engine, operation)
      }
      await next()
    }
  }
}

const isElsewhere = (ctx: ParameterizedContext, { own }: Operation): boolean => {
  try {
    return !own && isForwarded(ctx)
  } catch {
    return false // the query cannot be read: the request was refused for that
  }
}

function entryOf(ctx: ParameterizedContext, entrance: Entrance, mask: Audit['mask']): NewEntry {
  const { operation: known, told, asked: sent = {}, isHidden, command }: State = ctx.state
  const { operation, asked } = known ? currentOf(known, sent) : { operation: undefined, asked: sent }
  const { status } = ctx
  const requestId = requestIdOf(ctx)
  const { address } = clientOf(ctx)
  const answer = answerIn(ctx)
  const reason = reasonOf(status, answer)
  const target = operation ? targetOf(ctx, operation, asked, answer) : {}
  return {
    principal: bounded(told?.principal ?? callerIn(ctx, entrance)),
    ...(address === '' ? {} : { address }),
    door: doorOf(ctx, entrance),
    ...(command?.step ? { step: command.step } : {}),
    ...(requestId === undefined ? {} : { requestId }),
    operation: told?.operation ?? operation?.id ?? `${ctx.method} ${ctx.path}`.slice(0, MOST_PATH),
    ...(Object.keys(target).length > 0 ? { target } : {}),
    outcome: outcomeOf(status, answer),
    status,
    ...(isHidden ? { hidden: true as const } : {}),
    ...(reason === undefined ? {} : { reason: mask(reason.slice(0, MOST_REASON)) })
  }
}

/** Of answers that are pages. */
const CODES: Readonly<Partial<Record<number, string>>> = { 401: 'unauthorized', 403: 'forbidden', 404: 'not_found' }

/** A definition that is not valid is answered with 200 and its errors: nothing has changed. */
function outcomeOf(status: number, { code, errors }: Record<string, unknown>): string {
  if (status >= 400) return typeof code === 'string' ? code : (CODES[status] ?? String(status))
  return Array.isArray(errors) && errors.length > 0 ? 'bad_request' : 'done'
}

function reasonOf(status: number, { message, errors }: Record<string, unknown>): string | undefined {
  const reason = status >= 400 ? message : Array.isArray(errors) ? errors[0] : undefined
  return typeof reason === 'string' ? reason : undefined
}

const bounded = ({ kind, name }: NewEntry['principal']) => ({ kind, name: name.slice(0, MOST_NAME) })

/** Members of a body that name what an operation without such a parameter is about, and as what. */
const NAMED_IN_BODY: Readonly<Partial<Record<string, Readonly<Record<string, string>>>>> = {
  createDag: { name: 'fileName' },
  createKey: { name: 'keyName' },
  startInline: { name: 'name' },
  enqueueInline: { name: 'name' },
  endSessions: { session: 'session', subject: 'subject' }
}

/** Parameters of the path, and what is new: a definition, a key, a run. */
function targetOf(
  ctx: ParameterizedContext,
  operation: Operation,
  asked: Readonly<Record<string, unknown>>,
  { dagRunId, name }: Record<string, unknown>
): Record<string, string> {
  const inBody = Object.entries(NAMED_IN_BODY[operation.id] ?? {}).flatMap(([member, name]) => {
    const value = asked[member]
    return typeof value === 'string' && value !== '' ? [[name, value.slice(0, MOST_NAME)] as const] : []
  })
  const names = Object.entries(operation.params).map(([name, value]) => [name, String(value).slice(0, MOST_NAME)])
  const { remoteNode } = ctx.query
  return {
    ...(typeof dagRunId === 'string' ? { dagRunId, ...(typeof name === 'string' ? { name } : {}) } : {}),
    ...Object.fromEntries(inBody),
    ...Object.fromEntries(names),
    ...(typeof remoteNode === 'string' && !operation.own ? { remoteNode: remoteNode.slice(0, MOST_NAME) } : {})
  }
}

/** The answer as an object; of a stream what its route says of it. */
function answerIn({ body, state }: ParameterizedContext<AuditState>): Record<string, unknown> {
  if (state.answer && state.operation) return state.answer
  const isPlain = typeof body === 'object' && body !== null && Object.getPrototypeOf(body) === Object.prototype
  return isPlain ? (body as Record<string, unknown>) : {}
}

const part = <K extends 'before' | 'after'>(name: K, facts: Record<string, unknown>) =>
  (Object.keys(facts).length > 0 ? { [name]: facts } : {}) as Partial<Record<K, Record<string, unknown>>>
