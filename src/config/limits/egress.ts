/** `executors.http.egress`: where http steps may connect to. Source: docs/operating/limits.md "Where http steps may go". */
import { boolean, isMap, type Network, networkIn, networkList, type Type } from '../types.ts'

export interface Egress {
  /** Whether addresses that are not for everybody may be connected to: private, loopback, link-local, metadata. */
  private: boolean
  /** Networks that may be connected to even so. */
  allow: readonly Network[]
  /** Networks that may never be. */
  deny: readonly Network[]
}

const MEMBERS = { private: boolean, allow: networkList, deny: networkList } as const
type Member = keyof typeof MEMBERS
const isMember = (name: string): name is Member => Object.hasOwn(MEMBERS, name)

// D1474: http: the address of a connection is checked, not the name
/** Undefined: everywhere. @param problems receives a sentence for each member that says nothing */
export function egressOf(input: Record<string, unknown> | undefined, problems: string[]): Egress | undefined {
  if (!isMap(input) || Object.keys(input).length === 0) return undefined
  const where = 'executors.http.egress'
  function member<T>(name: Member, type: Type<T>, standard: T): T {
    const given = input?.[name]
    if (given === undefined) return standard
    const value = type.of(given)
    if (value === undefined)
      problems.push(`${where}.${name}: wanted ${type.wanted}, found ${JSON.stringify(given) ?? 'nothing'}`)
    return value ?? standard
  }
  for (const name of Object.keys(input))
    if (!isMember(name)) problems.push(`${where}: unknown member ${name}, wanted ${Object.keys(MEMBERS).join(', ')}`)
  return {
    private: member('private', MEMBERS.private, true),
    allow: parsed(member('allow', MEMBERS.allow, [])),
    deny: parsed(member('deny', MEMBERS.deny, []))
  }
}

const parsed = (texts: string[]): Network[] => texts.flatMap((text) => networkIn(text) ?? [])
