/** What `troupe versions` is asked. */
import { TroupeError } from '../../../errors.ts'
import { shellWord } from '../../../platform/shell/shell-word.ts'
import type { Arguments } from '../../input/command.ts'

export interface Asked {
  /** Name of the definition. */
  fileName: string
  /** Numbers of versions, of what is asked; nothing: the list. */
  show?: number
  /** Without a second one: the text that the definition has. */
  diff?: [number, number?]
  restore?: number
}

const WAYS = ['diff', 'show', 'restore'] as const

/** @throws TroupeError bad_request */
export function askedIn({ operand, text }: Arguments): Asked {
  // Versions are kept of what is in the folder of definitions, not of any file of this name.
  if (operand.includes('/')) throw refused(`wanted the name of a definition, found the path ${JSON.stringify(operand)}`)
  const fileName = operand.replace(/\.ya?ml$/, '')
  const ways = WAYS.filter((way) => text[way] !== undefined)
  if (ways.length > 1) throw refused(`wanted one of --diff, --show and --restore, found ${ways.length} of them`)
  const numbersOf = (way: (typeof WAYS)[number], most: number): number[] => {
    const parts = (text[way] ?? '').split(',')
    if (parts.length <= most && parts.every((part) => /^[1-9]\d{0,8}$/.test(part))) return parts.map(Number)
    const wanted = most === 1 ? 'the number of a version' : 'the number of a version, or two as in 1,2'
    throw refused(
      `--${way}: wanted ${wanted}, found ${JSON.stringify(text[way])}; troupe versions ${shellWord(fileName)} lists them`
    )
  }
  const [way] = ways
  if (way === undefined) return { fileName }
  const [first = 0, second] = numbersOf(way, way === 'diff' ? 2 : 1)
  return way === 'diff'
    ? { fileName, diff: second === undefined ? [first] : [first, second] }
    : { fileName, [way]: first }
}

const refused = (found: string) => new TroupeError('bad_request', `versions: ${found}`)
