/**
 * Refuses what the role of a caller does not allow, for the definition or run in the path of a request, or for the server. Where rules
 * are asked, what is not there and what must not be seen are answered alike. Source: docs/authentication.md "Roles".
 */
import type { ParameterizedContext } from 'koa'
import type { Plan, Step } from '../../../machines/vocabulary.ts'
import { isEnough, type Judgement, type Role, type Subject } from '../../config.ts'
import type { Engine } from '../../engine/engine.ts'
import { TroupeError } from '../../errors.ts'
import { noteHidden } from '../audit/state.ts'
import { callerOf } from '../auth/principal.ts'
import type { Need } from '../contract/needs.ts'
import { type Sight, sightOf } from './sight.ts'

type Params = Readonly<Record<string, string>>

const VERBS: Record<Role, string> = {
  none: 'ask for',
  viewer: 'see',
  runner: 'run',
  editor: 'edit',
  admin: 'administer'
}

// D1394, D1395: what must not be seen is answered like what is not there
/** @param isElsewhere the request is for another server, whose definitions are not known here @throws TroupeError forbidden, not_found */
export async function mustBeAllowed(
  engine: Engine,
  ctx: ParameterizedContext,
  { role, of }: Need,
  { fileName, name, dagRunId }: Params,
  isElsewhere: boolean
): Promise<void> {
  const sight = sightOf(ctx)
  const { rights } = sight
  if (rights.isWhole) return
  if (isElsewhere) must(ctx, rights.server, role === 'none' ? 'viewer' : role, 'another server through this one')
  else if (role === 'none' || of === 'part') return
  else if (of === 'body') {
    if (!rights.somewhere(role)) must(ctx, rights.server, role, 'definitions')
  } else if (fileName !== undefined) {
    const missing = new TroupeError('not_found', `there is no definition named ${fileName}`)
    if (!rights.hasRules) return mustFind(ctx, rights.server, role, fileName, missing)
    const judged = await sight.file(fileName)
    if (!judged) throw missing
    mustFind(ctx, judged, role, judged.name, missing)
  } else if (name !== undefined && dagRunId !== undefined) {
    const missing = new TroupeError('not_found', `there is no run ${dagRunId} of ${name}`)
    if (!rights.hasRules) return mustFind(ctx, rights.server, role, name, missing)
    await sight.ready()
    const record = engine.record({ name, dagRunId })
    if (!record) throw missing
    mustFind(ctx, sight.run(record), role, record.caller?.root.name ?? name, missing)
  } else must(ctx, rights.server, role, 'this server')
}

/** Asks again for a DAG name that a body gives to a run. @throws TroupeError forbidden */
export async function mustRunAs(ctx: ParameterizedContext, dagName: string | undefined): Promise<void> {
  const sight = sightOf(ctx)
  if (dagName === undefined || !sight.rights.hasRules) return
  await sight.ready()
  mustUse(ctx, sight.named(dagName), 'runner', dagName)
}

// D1396: a new text or name must be allowed as well
/**
 * Asks again for a text that is to be a definition: what it says of its name, group and tags must be allowed as well, and it calls nothing
 * that is hidden.
 * @param fallback its DAG name where it has none @param newFileName of the file that is made @throws TroupeError forbidden, bad_request
 */
export async function mustEdit(
  engine: Engine,
  ctx: ParameterizedContext,
  text: string | undefined,
  fallback: string,
  newFileName?: string
): Promise<void> {
  const sight = sightOf(ctx)
  if (!sight.rights.hasRules) return
  await sight.ready()
  const subject = text === undefined ? { name: fallback, group: '', tags: [] } : await subjectIn(engine, text, fallback)
  mustUse(ctx, sight.text(subject), 'editor', subject.name)
  const there = newFileName === undefined ? undefined : await sight.file(newFileName)
  if (newFileName !== undefined && there && !isEnough(there.role, 'viewer')) mustUse(ctx, there, 'editor', newFileName)
  if (text !== undefined && sight.rights.hidesSome) await refuseHiddenCalls(engine, sight, text, fallback)
}

async function subjectIn(engine: Engine, text: string, fallback: string): Promise<Subject> {
  const { name, outline } = await engine.validate(text, fallback, { files: false })
  return { name: name || fallback, group: outline.group, tags: outline.tags }
}

/** @param missing what is thrown for something that must not be seen, as if it were not there */
function mustFind(ctx: ParameterizedContext, judged: Judgement, role: Role, what: string, missing: TroupeError): void {
  if (!isEnough(judged.role, 'viewer')) {
    noteHidden(ctx)
    throw missing
  }
  must(ctx, judged, role, what)
}

// D1582: the rule that hides a name would say that something has it
/** A name, group or tags that somebody has chosen. Of what they must not see, not even the setting is said. */
function mustUse(ctx: ParameterizedContext, judged: Judgement, role: Role, what: string): void {
  if (isEnough(judged.role, 'viewer')) {
    must(ctx, judged, role, what)
    return
  }
  noteHidden(ctx)
  throw new TroupeError(
    'forbidden',
    `${callerOf(ctx)} may not ${VERBS[role]} ${what}: this name, group or one of these tags is not for them; choose another one`
  )
}

function must(ctx: ParameterizedContext, { role: has, where }: Judgement, role: Role, what: string): void {
  if (isEnough(has, role)) return
  const verb = `${VERBS[role]} ${what}`
  throw new TroupeError(
    'forbidden',
    `${callerOf(ctx)} may not ${verb}: that takes the role ${role}, and ${where} says ${has}`
  )
}

/** Evaluated when the step runs, or a path: it may lead to any definition. */
const NO_NAME = /[$`/]/

// D1583: the schedule runs a stored text without asking who wrote it
/** @throws TroupeError bad_request, with the same words for what is hidden and for what is not there */
async function refuseHiddenCalls(
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
