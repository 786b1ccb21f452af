/** What is known of a request for the audit log, gathered on its way. Nothing looks at it where none is kept. */
import type { ParameterizedContext } from 'koa'
import type { Who } from '../../engine/engine.ts'
import type { Need } from '../contract/needs.ts'

/** The operation that a request is for. */
export interface Operation {
  id: string
  needs: readonly Need[]
  params: Readonly<Record<string, string>>
  /** It is about this server only. */
  own: boolean
}

export interface AuditState {
  operation?: Operation
  /** The fields of its body. */
  asked?: Readonly<Record<string, unknown>>
  /** What it answers, where that is a stream. */
  answer?: Readonly<Record<string, unknown>>
  /** The caller must not see what it is about, and got 404. */
  isHidden?: true
  /** It has no operation, and is to be entered as this one, of this caller. */
  told?: { operation: string; principal: Who }
}

/** A request that is no operation of the API, such as a sign-in. */
export function tellAudit({ state }: ParameterizedContext, operation: string, principal: Who): void {
  const audit: AuditState = state
  audit.told = { operation, principal }
}

export function keepAsked({ state }: ParameterizedContext, asked: Readonly<Record<string, unknown>>): void {
  const audit: AuditState = state
  audit.asked = asked
}

export function keepAnswer({ state }: ParameterizedContext, answer: Readonly<Record<string, unknown>>): void {
  const audit: AuditState = state
  audit.answer = answer
}

/** The next error says that it is not there, although it may be. */
export function noteHidden({ state }: ParameterizedContext): void {
  const audit: AuditState = state
  audit.isHidden = true
}

/** Whether an operation is more than a mere read. */
export const isChange = ({ needs }: Operation): boolean =>
  needs.some(({ permissions: [first] }) => first !== undefined && first !== 'read')
