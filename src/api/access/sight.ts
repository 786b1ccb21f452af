/** What a caller sees of the definitions and runs of an engine. Source: docs/authentication.md "Roles". */
import type { RunKey, RunRecord } from '../../../machines/vocabulary.ts'
import {
  type Access,
  type AccessRule,
  isEnough,
  type Judgement,
  type Rights,
  type Subject,
  weakest
} from '../../config.ts'
import type { StoredDefinition } from '../../definitions/stored-definition.ts'
import type { Engine } from '../../engine/engine.ts'
import { TroupeError } from '../../errors.ts'
import { type AccessState, anyone, type Principal } from '../auth/principal.ts'
import { dagNameOf } from '../shapes/dag-names.ts'
import { isUnreadable } from '../shapes/dag-shapes.ts'
import { rightsIn } from './rights.ts'

export interface Sight {
  rights: Rights
  /** Resolves when the questions below are about the definitions as they are now. Await it in each request. */
  ready(): Promise<void>
  /** Looks at the definitions as far as they have been read, for a stream that goes on. */
  look(): void
  /** The role with a stored definition, and its DAG name; undefined: there is none. */
  file(fileName: string): Promise<(Judgement & { name: string }) | undefined>
  /** The role with the definition of a DAG name, stored or not. */
  named(name: string): Judgement
  /** The role with a text that is to become the definition of a DAG name. */
  text(subject: Subject): Judgement
  /** The role with a run: that with its root run's definition. */
  run(run: RunKey | RunRecord): Judgement
  /** Whether there is a definition or a run of that DAG name. */
  isThere(name: string): boolean
  seesName(name: string): boolean
  seesRun(run: RunKey | RunRecord): boolean
}

interface SightState extends AccessState {
  sight?: Sight
}

/** Names whose role is remembered for one kind of caller. */
const MOST_NAMES = 10_000
/** Kinds of callers that are remembered. */
const MOST_KINDS = 1_000

/** Everybody may do everything. */
export const NO_ROLES: Access = { roles: [], rules: [] }

/** What the caller of a request sees. */
export function sightOf({ state }: { state: SightState }): Sight {
  if (state.sight) return state.sight
  throw new Error('nobody has said what the caller may see')
}

/** Gives each request its sight, once its caller is known. */
export function sights(engine: Engine, access: Access) {
  const rightsOf = rightsIn(access, Boolean(engine.config.auth.oidc?.roleClaim))
  const indexed = indexOf(engine)
  const known = new Map<string, Sight>()
  /** Sights of callers who bring rules: each has a list of their own. */
  const byRules = new WeakMap<readonly AccessRule[], Sight>()

  /** Callers with the same names and role see the same. */
  function seenBy(principal: Principal): Sight {
    const { rules } = principal
    if (rules) {
      const found = byRules.get(rules) ?? sightWith(rightsOf(principal), engine, indexed)
      byRules.set(rules, found)
      return found
    }
    const kind = JSON.stringify([principal.role ?? null, principal.who ?? []])
    const found = known.get(kind)
    if (found) return found
    if (known.size >= MOST_KINDS) known.clear()
    const sight = sightWith(rightsOf(principal), engine, indexed)
    known.set(kind, sight)
    return sight
  }

  return (ctx: { state: SightState }, next: () => Promise<unknown>): Promise<unknown> => {
    ctx.state.sight = seenBy(ctx.state.principal ?? anyone)
    return next()
  }
}

// D1393, D1394: everything is judged by DAG name, a sub DAG run by its root run
function sightWith(rights: Rights, engine: Engine, indexed: () => Index): Sight {
  let index: Index = NO_DEFINITIONS
  let judged = new Map<string, Judgement>()

  function look(): void {
    const now = indexed()
    if (now === index) return
    index = now
    judged = new Map()
  }

  /** @param textOf what the run itself says, where no definition of that name is stored */
  function judge(name: string, textOf: () => Omit<Subject, 'name'>): Judgement {
    const known = judged.get(name)
    if (known) return known
    const stored = index.byName.get(name)
    if (rights.asksTexts && !stored) return rights.of({ name, ...textOf() })
    const found = weakest((stored ?? [{ name }]).map(rights.of))
    if (judged.size >= MOST_NAMES) judged.clear()
    judged.set(name, found)
    return found
  }

  function run(asked: RunKey | RunRecord): Judgement {
    if (!rights.hasRules) return rights.server
    const record = 'plan' in asked ? asked : engine.record(asked)
    const root = record?.caller?.root ?? record ?? asked
    return judge(root.name, () => {
      const plan = engine.run(root)
      return plan && !plan.errors ? { group: plan.plan.group, tags: plan.plan.tags } : {}
    })
  }

  const text = (subject: Subject) => weakest([rights.of(subject), judge(subject.name, () => subject)])

  async function read(): Promise<void> {
    await engine.definitionsReady()
    look()
  }

  const isSeen = ({ role }: Judgement) => isEnough(role, 'viewer')
  return {
    rights,
    async ready() {
      if (rights.asksTexts) await read()
    },
    look,
    async file(fileName) {
      await read()
      const name = index.names.get(fileName)
      if (name !== undefined) return { name, ...judge(name, () => NOTHING_KNOWN) }
      // A folder that cannot be watched may have one that is not in the list yet.
      await engine.definitionsReady(fileName)
      const stored = storedIn(engine, fileName)
      const subject = stored && subjectOf(stored)
      return subject && { name: subject.name, ...text(subject) }
    },
    named: (name) => judge(name, () => NOTHING_KNOWN),
    text,
    run,
    isThere: (name) => index.byName.has(name) || engine.latest(name) !== undefined,
    seesName: (name) => !rights.hidesSome || isSeen(judge(name, () => NOTHING_KNOWN)),
    seesRun: (asked) => !rights.hidesSome || isSeen(run(asked))
  }
}

/** Facts of what is not stored. */
const NOTHING_KNOWN = { group: '', tags: [] }

/** Stored definitions by DAG name, and DAG names by file name. */
interface Index {
  byName: ReadonlyMap<string, readonly Subject[]>
  names: ReadonlyMap<string, string>
}
const NO_DEFINITIONS: Index = { byName: new Map(), names: new Map() }

function indexOf(engine: Engine): () => Index {
  let known: { list: readonly StoredDefinition[]; index: Index } | undefined
  return () => {
    const list = engine.definitions()
    if (known?.list === list) return known.index
    const byName = new Map<string, Subject[]>()
    const names = new Map<string, string>()
    for (const stored of list) {
      const name = dagNameOf(stored)
      byName.set(name, [...(byName.get(name) ?? []), subjectOf(stored)])
      names.set(stored.fileName, name)
    }
    const index = { byName, names }
    known = { list, index }
    return index
  }
}

/** Undefined: there is no such file, or no file can have that name. */
function storedIn(engine: Engine, fileName: string): StoredDefinition | undefined {
  try {
    return engine.definition(fileName)
  } catch (error) {
    if (error instanceof TroupeError && (error.code === 'not_found' || error.code === 'bad_request')) return undefined
    throw error
  }
}

/** A text that cannot be read says nothing of its group and tags. */
const subjectOf = (stored: StoredDefinition): Subject => {
  const { definition } = stored
  const name = dagNameOf(stored)
  if (isUnreadable(definition)) return { name }
  return { name, group: definition.outline.group, tags: definition.outline.tags }
}
