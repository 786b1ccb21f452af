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

/** The commands that end a wait. */
const ANSWERS: Readonly<Partial<Record<string, string>>> = { approval: 'approve', signal: 'signal' }

/** What to ask about a run, and how to answer what it asks. */
export function hintAtQuestions(context: CliContext, args: Asked, run: RunDetails): void {
  const status = shownStatus(run.statusLabel)
  const where = PLACES.flatMap((flag) => {
    const text = flag === 'url' ? context.remote?.url : args.text[flag] // an address may have a password
    return text === undefined ? [] : [` --${flag} ${shellWord(text)}`]
  })
  const ask = (command: string, more = '') =>
    `troupe ${command} ${shellWord(`${run.name}:${idIn(context.out.columns, run.dagRunId)}`)}${more}${where.join('')}`
  const hasBegun = nodesOf(run).some((node) => startOf(node) !== undefined)
  const why = status === 'failed' || !hasBegun ? [`why: ${ask('explain')}`] : []
  const answer = nodesOf(run).flatMap(({ step, waitingFor }) => {
    const command = waitingFor && ANSWERS[waitingFor.for]
    return command ? [`answer: ${ask(command, ` ${shellWord(step.name)}`)}`] : []
  })
  const output = hasBegun ? [`output: ${ask('logs', status === 'running' ? ' --follow' : '')}`] : []
  hint(context, args, [...why, ...answer.slice(0, 1), ...output].join('\n'))
}
