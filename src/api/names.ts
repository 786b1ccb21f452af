/**
 * One validator per kind of name. The router applies them to every path parameter, decoded once, before a route sees it;
 * routes apply them to the names in bodies. Each returns a sentence, or undefined. Source: api-semantics 1.3, reliability F33-F35.
 */

import type Router from '@koa/router'
import type { Engine } from '../engine.ts'
import { TroupeError } from '../errors.ts'
import { refuse } from './error-body.ts'

const NAME = /^[A-Za-z0-9_.-]{1,40}$/
const FILE_NAME = /^[A-Za-z0-9_][A-Za-z0-9_-]{0,249}$/
const DOTTED_FILE_NAME = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,249}$/
const RUN_ID = /^[-a-zA-Z0-9_]{1,64}$/
const LONGEST_STEP_NAME = 1_000

/** Name of a DAG. */
export const nameProblem = (what: string, value: string): string | undefined =>
  NAME.test(value) && value !== '.' && value !== '..'
    ? undefined
    : `${what}: wanted 1 to 40 of the characters A-Z a-z 0-9 _ . -, found ${shown(value)}`

/** Name of a definition that is to be created: it becomes a file. */
export const newFileNameProblem = (what: string, value: string): string | undefined =>
  nameProblem(what, value) ??
  (/^[.-]/.test(value) ? `${what}: wanted a first character other than . and -, found ${shown(value)}` : undefined)

/** Id of a run, given by a caller. */
export const runIdProblem = (what: string, value: string): string | undefined =>
  RUN_ID.test(value) && value !== 'latest'
    ? undefined
    : `${what}: wanted 1 to 64 of the characters A-Z a-z 0-9 _ - and not the word latest, found ${shown(value)}`

/** Name of a step: compared with the names of a run's steps and used for nothing else. */
export const stepNameProblem = (what: string, value: string): string | undefined =>
  value.length <= LONGEST_STEP_NAME && !value.includes('\0') ? undefined : `${what}: no step can have this name`

const fileNameProblem = (value: string): string =>
  `fileName: wanted characters of A-Z a-z 0-9 _ - and no - in front, found ${shown(value)}`

/** Applies the validators to the path parameters of all routes. */
export function checkPathNames(router: Router, engine: Engine): void {
  router.param('fileName', (value, _ctx, next) => {
    if (!FILE_NAME.test(value) && !isDottedDefinition(value, engine)) refuse([fileNameProblem(value)])
    return next()
  })
  router.param('name', (value, _ctx, next) => {
    refuse([nameProblem('name', value)])
    return next()
  })
  for (const id of ['dagRunId', 'subDAGRunId']) {
    router.param(id, (value, ctx, next) => {
      if (value !== 'latest') refuse([runIdProblem(id, value)])
      // Acting on a moving target is unsafe.
      else if (ctx.method !== 'GET' && ctx.method !== 'HEAD')
        throw new TroupeError('not_found', 'latest can only be read')
      return next()
    })
  }
  router.param('machineId', (value, _ctx, next) => {
    refuse([nameProblem('machineId', value)])
    return next()
  })
  router.param('stepName', (value, _ctx, next) => {
    refuse([stepNameProblem('stepName', value)])
    return next()
  })
}

/**
 * What is wrong with the path parameters of a request for another server. Its definitions are unknown here, so any file
 * name may hold dots; no parameter may be a step in a path, for whoever stands between may tidy paths up.
 */
export function forwardedNameProblems(params: Readonly<Record<string, string>>): (string | undefined)[] {
  return Object.entries(params).map(([what, value]) => {
    if (what === 'fileName') return DOTTED_FILE_NAME.test(value) ? undefined : fileNameProblem(value)
    if (what === 'name' || what === 'machineId') return nameProblem(what, value)
    if (what !== 'stepName') return value === 'latest' ? undefined : runIdProblem(what, value)
    return /^\.{1,2}$/.test(value) ? `${what}: cannot be sent on` : stepNameProblem(what, value)
  })
}

/** DAG names may hold dots, so files may: such a file is served when it is there. */
function isDottedDefinition(fileName: string, engine: Engine): boolean {
  if (!DOTTED_FILE_NAME.test(fileName)) return false
  try {
    engine.definition(fileName)
    return true
  } catch (error) {
    if (error instanceof TroupeError) return false
    throw error
  }
}

const shown = (value: string) => JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}...` : value)
