/** Rules of a key as text, a line each, as the command line has them: `runner dags=etl-*,prod tags=nightly`. The server checks them. */
import type { KeyRule } from '../answers.ts'

export const ruleText = ({ may, ...lists }: KeyRule): string =>
  [may, ...Object.entries(lists).map(([list, patterns]) => `${list}=${patterns.join(',')}`)].join(' ')

/** @throws Error in words */
export const rulesIn = (text: string): object[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map(ruleIn)

function ruleIn(line: string): object {
  const [may, ...lists] = line.split(/\s+/)
  const parts = lists.map((list): [string, string[]] => {
    const at = list.indexOf('=')
    if (at < 1) throw new Error(`Rules: “${list}” says neither dags= nor groups= nor tags=.`)
    return [list.slice(0, at), list.slice(at + 1).split(',')]
  })
  return { may, ...Object.fromEntries(parts) }
}
