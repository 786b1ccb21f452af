/** Where the recorded result of a case and what Dagu did are not the same. */
import { expectedOf, type FormatCase } from '../support/format/format-case.ts'
import type { NodeOutcome, Outcome } from '../support/format/format-outcome.ts'
import { aligned } from '../support/format/golden-match.ts'
import type { Answer, SeenNode } from './dagu.ts'

export interface Difference {
  name: string
  rules: string[]
  /** Such as `status` or `nodes.a.stdout`. */
  what: string
  /** As recorded. */
  troupe: string
  dagu: string
}

export function differencesOf({ name, rules, ...one }: FormatCase, answer: Answer): Difference[] {
  const wanted = expectedOf({ name, rules, ...one })
  const found: Difference[] = []
  const compare = (what: string, troupe: string, dagu: string) => {
    if (aligned(dagu, troupe) !== troupe) found.push({ name, rules, what, troupe, dagu })
  }
  const begins = wanted.problems || wanted.refused ? 'is refused' : 'runs'
  if ('silent' in answer) compare('start', begins, answer.silent)
  else if ('refused' in answer) compare('start', begins, 'is refused')
  else if (begins !== 'runs') compare('start', begins, 'runs')
  else {
    const { status, nodes, handlers } = answer.seen
    compare('status', wanted.status ?? '', status)
    compareNodes('nodes', wanted.nodes, nodes, compare)
    compareNodes('handlers', ranOf(wanted.handlers), handlers, compare)
  }
  return found
}

const detailsOf = (node: NodeOutcome) => (typeof node === 'string' ? { status: node } : node)

/** Dagu does not list handlers that did not run. */
const ranOf = (handlers: Outcome['handlers'] = {}) =>
  Object.fromEntries(Object.entries(handlers).filter(([, node]) => detailsOf(node).status !== 'not_started'))

function compareNodes(
  where: string,
  wanted: Record<string, NodeOutcome> = {},
  found: Record<string, SeenNode>,
  compare: (what: string, troupe: string, dagu: string) => void
): void {
  compare(where, Object.keys(wanted).join(', '), Object.keys(found).join(', '))
  for (const [name, node] of Object.entries(wanted)) {
    const other = found[name]
    if (!other) continue
    const { status, output = '', stdout = '', stderr = '' } = { output: '', stdout: '', stderr: '', ...detailsOf(node) }
    const texts = { status, output, stdout, stderr }
    for (const [key, text] of Object.entries(texts))
      compare(`${where}.${name}.${key}`, text, other[key as keyof SeenNode])
  }
}
