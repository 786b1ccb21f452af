/** The role of somebody with a definition: rules match, the strongest of them counts. Source: docs/authentication.md "Roles". */
import type { StarterRights } from '../../../machines/vocabulary.ts'
import { matcher } from '../../platform/globs.ts'
import type { AccessRule, RuleContent } from '../access-rules.ts'
import { isEnough, isRole, type Role } from './roles.ts'

/** A definition, as far as rules can tell one from another. */
export interface Subject {
  /** DAG name. */
  name: string
  /** Absent: not known, since its text cannot be read. */
  group?: string
  /** Absent: not known. */
  tags?: readonly string[]
}

/** A role, and the setting that gives it. */
export interface Judgement {
  role: Role
  where: string
}

export interface Rights {
  /** On the server, and with definitions that no rule of theirs is about. */
  server: Judgement
  /** Nothing is refused, nothing hidden. */
  isWhole: boolean
  /** There are rules for them. */
  hasRules: boolean
  /** Rules look at groups or tags, which only the text of a definition says. */
  asksTexts: boolean
  /** There may be a definition that they must not hear of. */
  hidesSome: boolean
  /** The rights as data, for runs that they start. Absent: they hear of all. */
  limited?: StarterRights
  of(subject: Subject): Judgement
  /** Whether the caller has this role on the server, or perhaps with a definition. */
  somewhere(needed: Role): boolean
}

/** A rule with its patterns made ready. */
export interface Ready {
  given: Judgement
  content: RuleContent
  asksTexts: boolean
  /** Undefined: it cannot be known. */
  fits(subject: Subject): boolean | undefined
}

/** @param server the role on the server */
export function rightsBy(server: Judgement, rules: readonly Ready[]): Rights {
  const isAnySuch = (is: (role: Role) => boolean) => is(server.role) || rules.some(({ given }) => is(given.role))
  return {
    server,
    ...(isAnySuch((role) => role === 'none')
      ? { limited: { role: server.role, rules: rules.map(({ content }) => content) } }
      : {}),
    isWhole: server.role === 'admin' && rules.length === 0,
    hasRules: rules.length > 0,
    asksTexts: rules.some((rule) => rule.asksTexts),
    hidesSome: isAnySuch((role) => role === 'none'),
    somewhere: (needed) => isAnySuch((role) => isEnough(role, needed)),
    of(subject) {
      let certain: Judgement | undefined
      const perhaps: Judgement[] = []
      for (const { given, fits } of rules) {
        const isFit = fits(subject)
        if (isFit === undefined) perhaps.push(given)
        else if (isFit && !(certain && isEnough(certain.role, given.role))) certain = given
      }
      // What is not known must not let in.
      return weakest([certain ?? server, ...perhaps])
    }
  }
}

/** @param given at least one */
export const weakest = (given: readonly Judgement[]): Judgement =>
  given.reduce((least, one) => (isEnough(one.role, least.role) ? least : one))

export function readyRule({ may, dags, groups, tags, where }: Omit<AccessRule, 'who'>): Ready {
  const [isName, isGroup, isTag] = [dags, groups, tags].map((patterns) => patterns && matcher(patterns))
  return {
    given: { role: may, where },
    content: { may, ...(dags ? { dags } : {}), ...(groups ? { groups } : {}), ...(tags ? { tags } : {}) },
    asksTexts: isGroup !== undefined || isTag !== undefined,
    fits({ name, group, tags: own }) {
      if (isName && !isName(name)) return false
      if (isGroup && group !== undefined && !isGroup(group)) return false
      if (isTag && own !== undefined && !own.some((tag) => isTag(tag.trim().toLowerCase()))) return false
      return (isGroup && group === undefined) || (isTag && own === undefined) ? undefined : true
    }
  }
}

/** What a release does not know must not let in. */
const limitedRole = (role: string): Exclude<Role, 'admin'> => (isRole(role) && role !== 'admin' ? role : 'none')

function roleWith({ role, rules }: StarterRights, subject: Subject): Role {
  const ready = rules.map((rule) => readyRule({ ...rule, may: limitedRole(rule.may), where: '' }))
  const server = { role: isRole(role) ? role : ('none' as const), where: '' }
  return rightsBy(server, ready).of(subject).role
}

/** Whether somebody sees a definition. */
export const maySee = (rights: StarterRights, subject: Subject): boolean =>
  isEnough(roleWith(rights, subject), 'viewer')

/** Whether a definition may be a text of theirs. */
export const mayWrite = (rights: StarterRights, subject: Subject): boolean =>
  isEnough(roleWith(rights, subject), 'editor')
