/** Lines for somebody at a terminal: where a run is shown, and what to ask about it. */
import type { RunKey } from '../../../machines/vocabulary.ts'
import type { RunDetails } from '../../client/index.ts'
import { shellWord } from '../../platform/shell/shell-word.ts'
import type { CliContext } from '../context.ts'
import type { Arguments } from '../input/command.ts'
import type { OpenClient } from '../owner/opened.ts'
import { nodesOf } from '../view/nodes.ts'
import { shownStatus } from '../view/paint.ts'
import { startOf } from '../view/row.ts'
import { idIn } from '../view/text.ts'

type Asked = Pick<Arguments, 'text' | 'on'>

/** Flags that say where a command works: what is asked next is asked there. */
const PLACES = ['home', 'config', 'url', 'token-file']

// D1687: hints are for people at a terminal
/** Writes a line to stderr, where a person reads both streams. */
function hint({ out, err }: Pick<CliContext, 'out' | 'err'>, { on }: Asked, line: string): void {
  if (out.isTTY && err.isTTY && !on.has('json') && !on.has('quiet')) err.write(`${line}\n`)
}

/** Where the page has a run, below its address. */
export const placeOnPage = ({ name, dagRunId }: RunKey): string =>
  `#/runs/${encodeURIComponent(name)}/${encodeURIComponent(dagRunId)}`

/** After a start: the address, if a server is there. */
export function hintAtPage(context: CliContext, args: Asked, { page }: Pick<OpenClient, 'page'>, key: RunKey): void {
  const address = context.remote?.url ?? page
  if (address !== undefined) hint(context, args, `page: ${address}/${placeOnPage(key)}`)
}

/** What to ask about a run. */
export function hintAtQuestions(context: CliContext, args: Asked, run: RunDetails): void {
  const status = shownStatus(run.statusLabel)
  const where = PLACES.flatMap((flag) =>
    args.text[flag] === undefined ? [] : [` --${flag} ${shellWord(args.text[flag])}`]
  )
  const ask = (command: string, more = '') =>
    `troupe ${command} ${shellWord(`${run.name}:${idIn(context.out.columns, run.dagRunId)}`)}${more}${where.join('')}`
  const hasBegun = nodesOf(run).some((node) => startOf(node) !== undefined)
  const why = status === 'failed' || !hasBegun ? [`why: ${ask('explain')}`] : []
  const output = hasBegun ? [`output: ${ask('logs', status === 'running' ? ' --follow' : '')}`] : []
  hint(context, args, [...why, ...output].join('\n'))
}
