/**
 * The contract's schemas of names, applied by the router to every path parameter, decoded once, before a route sees it. Source:
 * api-semantics 1.3, reliability F33-F35.
 */
import type { RouterParameterMiddleware } from '@koa/router'
import type { Engine } from '../../engine/engine.ts'
import { TroupeError } from '../../errors.ts'
import { misfit } from '../../schema/fit.ts'
import type { Schema } from '../../schema/schema.ts'
import { DagName, DottedFileName, FileName, LATEST, MOVING, Revision, RunId, StepName } from '../contract/names.ts'
import { refuse } from './error-body.ts'

const problem = (schema: Schema, what: string, value: string): string | undefined => {
  const found = misfit(schema, value)
  return found === undefined ? undefined : `${what}: ${found}`
}

export const nameProblem = (what: string, value: string) => problem(DagName, what, value)

export const runIdProblem = (what: string, value: string) => problem(RunId, what, value)
const stepNameProblem = (what: string, value: string) => problem(StepName, what, value)

/** Gives a check to each path parameter that any route has. */
export function checkPathNames(check: (name: string, by: RouterParameterMiddleware) => unknown, engine: Engine): void {
  check('fileName', async (value, _ctx, next) => {
    if (misfit(DottedFileName, value) === undefined) await engine.definitionsReady(value)
    if (!isDottedDefinition(value, engine)) refuse([problem(FileName, 'fileName', value)])
    return next()
  })
  check('name', (value, _ctx, next) => {
    refuse([nameProblem('name', value)])
    return next()
  })
  for (const id of MOVING) {
    check(id, (value, ctx, next) => {
      if (value !== LATEST) refuse([runIdProblem(id, value)])
      // Acting on a moving target is unsafe.
      else if (ctx.method !== 'GET' && ctx.method !== 'HEAD')
        throw new TroupeError('not_found', 'latest can only be read')
      return next()
    })
  }
  check('machineId', (value, _ctx, next) => {
    refuse([nameProblem('machineId', value)])
    return next()
  })
  check('revision', (value, _ctx, next) => {
    refuse([problem(Revision, 'revision', value)])
    return next()
  })
  check('keyName', (value, _ctx, next) => {
    refuse([nameProblem('keyName', value)])
    return next()
  })
  check('stepName', (value, _ctx, next) => {
    refuse([stepNameProblem('stepName', value)])
    return next()
  })
}

// D221: path parameters of a forwarded request are checked here, too
/**
 * What is wrong with the path parameters of a request for another server. Its definitions are unknown here, so any file
 * name may contain dots; no parameter may be a path segment such as `..`, since a proxy may normalize paths.
 */
export function forwardedNameProblems(params: Readonly<Record<string, string>>): (string | undefined)[] {
  return Object.entries(params).map(([what, value]) => {
    if (what === 'fileName') return problem(DottedFileName, what, value)
    if (what === 'name' || what === 'machineId') return nameProblem(what, value)
    if (what === 'revision') return problem(Revision, what, value)
    if (what !== 'stepName') return value === LATEST ? undefined : runIdProblem(what, value)
    return /^\.{1,2}$/.test(value) ? `${what}: cannot be sent on` : stepNameProblem(what, value)
  })
}

/** DAG names may contain dots, so files may: such a file is served when it exists. */
function isDottedDefinition(fileName: string, engine: Engine): boolean {
  if (!fileName.includes('.') || misfit(DottedFileName, fileName) !== undefined) return false
  try {
    engine.definition(fileName)
    return true
  } catch (error) {
    if (error instanceof TroupeError) return false
    throw error
  }
}
