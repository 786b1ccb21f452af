/** A case of fixtures/format on a `dagu` program, seen from outside: its commands, its status file, its logs. */
import { spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { CaseStart, FormatCase } from '../support/format/format-case.ts'
import { SERVER_ENVIRONMENT } from '../support/format/format-run.ts'
import { eventually } from '../support/waiting.ts'

/** What can be compared of a run. */
export interface Seen {
  status: string
  nodes: Record<string, SeenNode>
  /** Those that ran. */
  handlers: Record<string, SeenNode>
}
export interface SeenNode {
  status: string
  output: string
  stdout: string
  stderr: string
}

/** `refused`: it did not start, and why. `silent`: it has not ended within the time limit. */
export type Answer = { seen: Seen } | { refused: string } | { silent: string }

const LIMIT_MS = 20_000

/** Labels of the numbers in its status file. Source: http-api "Run status", "Node status". */
const RUN_STATUS = ['not_started', 'running', 'failed', 'canceled', 'succeeded', 'queued', 'partially_succeeded']
const NODE_STATUS = ['not_started', 'running', 'failed', 'canceled', 'succeeded', 'skipped', 'partially_succeeded']

/** @param mark an environment entry, `NAME=value`, that all of its processes have */
export async function askDagu(program: string, one: FormatCase, root: string, mark: string): Promise<Answer> {
  const folder = join(root, one.name)
  const home = join(root, `${one.name}.home`)
  cpSync(one.folder, folder, { recursive: true })
  mkdirSync(home)
  if (one.extras.includes('base.yaml')) cpSync(join(folder, 'base.yaml'), join(home, 'base.yaml'))
  const file = join(folder, `${one.name}.yaml`)
  writeFileSync(file, withPrefix(readFileSync(join(folder, 'dag.yaml'), 'utf8')))
  const { start } = one
  const id = start.dagRunId ?? `run-of-${one.rules[0]?.replaceAll(/[^a-z0-9]/gi, '-')}`
  const env = environment(start, root, home, mark)
  const args = ['start', '--quiet', '--run-id', id]
  if (start.dagName) args.push('--name', start.dagName)
  if (start.params !== undefined) args.push('--params', start.params)
  const run = command(program, [...args, file], env)
  if (start.stopWhen) {
    const wanted = join(folder, start.stopWhen)
    const begun = await Promise.race([
      run.then(() => false),
      eventually(wanted, () => existsSync(wanted) || undefined, 8_000).catch(() => false)
    ])
    if (begun) await command(program, ['stop', '--run-id', id, file], env)
  }
  const said = await run
  if (said === undefined) return { silent: `no end within ${LIMIT_MS / 1_000} s` }
  const status = statusFile(home)
  if (!status) return { refused: said.trim().split('\n').at(-1) ?? '' }
  return { seen: seenIn(status, { folder, home, id }) }
}

const withPrefix = (text: string) => text.replaceAll('ENGINE_', 'DAGU_')

function environment({ env = {} }: CaseStart, root: string, home: string, mark: string): Record<string, string> {
  const [name = '', value = ''] = mark.split('=')
  const given = Object.entries({ ...SERVER_ENVIRONMENT, ...env }).map(([key, value]) => [withPrefix(key), value])
  return {
    PATH: process.env.PATH ?? '',
    HOME: root,
    ...Object.fromEntries(given),
    DAGU_HOME: home,
    DAGU_AUTH_MODE: 'none',
    DAGU_SKIP_EXAMPLES: 'true',
    [name]: value
  }
}

/** What it said, or undefined when it has not ended in time. */
function command(program: string, args: string[], env: Record<string, string>): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { env, cwd: env.HOME, stdio: ['ignore', 'pipe', 'pipe'] })
    let said = ''
    const late = setTimeout(() => {
      child.kill('SIGKILL')
      resolve(undefined)
    }, LIMIT_MS)
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk))
    child.on('error', reject)
    child.on('exit', () => {
      clearTimeout(late)
      resolve(said)
    })
  })
}

/** The status file of the root run: that of a sub run lies below `children`. */
function statusFile(home: string): string | undefined {
  const runs = join(home, 'data', 'dag-runs')
  if (!existsSync(runs)) return undefined
  const files = readdirSync(runs, { recursive: true, encoding: 'utf8' })
  const found = files.find((name) => name.endsWith('status.jsonl') && !name.includes('children'))
  return found && join(runs, found)
}

interface StatusLine {
  status: number
  log?: string
  nodes?: RecordedNode[]
  onSuccess?: RecordedNode
  onFailure?: RecordedNode
  onCancel?: RecordedNode
  onExit?: RecordedNode
}
interface RecordedNode {
  step: { name: string; output?: string }
  status: number
  stdout?: string
  stderr?: string
  outputVariables?: Record<string, string>
}

function seenIn(file: string, { folder, home, id }: { folder: string; home: string; id: string }): Seen {
  const record = JSON.parse(readFileSync(file, 'utf8').trim().split('\n').at(-1) ?? '') as StatusLine
  const { nodes = [], onSuccess, onFailure, onCancel, onExit } = record
  const handlers = [onSuccess, onFailure, onCancel, onExit].filter(
    (node): node is RecordedNode => node !== undefined && node.status !== 0
  )
  const words: [string, string][] = []
  for (const { step, stdout, stderr } of [...nodes, ...handlers]) {
    if (stdout) words.push([stdout, `<${step.name}.out>`])
    if (stderr) words.push([stderr, `<${step.name}.err>`])
  }
  const children = join(dirname(dirname(file)), 'children')
  if (existsSync(children))
    for (const name of readdirSync(children)) words.push([name.replace(/^child_/, ''), '<sub run>'])
  if (record.log) words.push([record.log, '<run.log>'])
  words.push([id, '<run>'], [folder, '<folder>'], [home, '<home>'])
  const normalise = (text: string) => words.reduce((all, [found, word]) => all.replaceAll(found, word), text)
  const textOf = (path?: string) => (path && existsSync(path) ? normalise(readFileSync(path, 'utf8')) : '')
  const seen = ({ step, status, stdout, stderr, outputVariables }: RecordedNode): [string, SeenNode] => {
    const name = step.output?.replace(/^\$/, '') ?? ''
    const output = normalise((outputVariables?.[name] ?? '').slice(name.length + 1))
    return [step.name, { status: NODE_STATUS[status] ?? '', output, stdout: textOf(stdout), stderr: textOf(stderr) }]
  }
  return {
    status: RUN_STATUS[record.status] ?? '',
    nodes: Object.fromEntries(nodes.map(seen)),
    handlers: Object.fromEntries(handlers.map(seen))
  }
}
