/** `strictValidation`: what is otherwise ignored, or clamped, is refused. Source: api-semantics 10.2, T4, A1. */
import type { Middleware, ParameterizedContext } from 'koa'
import { nearest } from '../../nearest.ts'
import { misfit, shown } from '../../schema/fit.ts'
import { insteadOf } from '../../schema/instead.ts'
import type { Schema } from '../../schema/schema.ts'

interface StrictState {
  isStrict?: true
}

// D235: `strictValidation` refuses unknown body fields
/** Makes the readers of this request's body and query strict. */
export const strictly: Middleware = (ctx, next) => {
  const state: StrictState = ctx.state
  state.isStrict = true
  return next()
}

export const isStrict = ({ state }: ParameterizedContext<StrictState>): boolean => state.isStrict === true

/** A sentence for each word of other engines that a body has and its schema does not. */
export const foreignFields = (body: object, { properties = {} }: Schema): string[] =>
  Object.entries(body).flatMap(([field, value]) => {
    const instead = value === null || Object.hasOwn(properties, field) ? undefined : insteadOf(field)
    return instead === undefined ? [] : [`field ${quoted(field)}: unknown; ${instead}`]
  })

/** A sentence for each other member of a body that its schema does not have. */
export const unknownFields = (body: object, { properties = {} }: Schema): string[] =>
  Object.entries(body).flatMap(([field, value]) => {
    if (Object.hasOwn(properties, field) || (value !== null && insteadOf(field) !== undefined)) return []
    const near = nearest(field, Object.keys(properties))
    return [`field ${quoted(field)}: unknown${near === undefined ? '' : `; did you mean '${near}'?`}`]
  })

/** The complaint about a value that would be clamped; undefined: it is in range. */
export const outOfRange = (schema: Schema, value: unknown): string | undefined =>
  schema['x-strict'] && misfit({ ...schema, ...schema['x-strict'] }, value)

const quoted = (field: string) => `'${shown(field).slice(1, -1)}'`
