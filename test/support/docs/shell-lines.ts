/**
 * What is wrong with commands that a page shows, as far as it can be known without running them: the shell reads them, `troupe` takes the
 * arguments, the API has the operation, `make` has the target, and other programs are some that we know.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readArguments } from '../../../src/cli/input/arguments.ts'
import { commands } from '../../../src/cli/input/commands.ts'
import { operationsOf } from '../../../src/site/tables/operations.ts'
import { testDocument } from '../api/response-check.ts'
import { PROJECT } from '../project.ts'

/** Programs of others that our pages call. */
const OTHERS = new Set(
  'cat cd chmod chown cp crontab docker echo exit gpg grep head helm id install journalctl jq kill kubectl ln ls mkdir mv node npm npx openssl printf ps rm sed set sh sleep ssh ssh-keygen sudo systemctl tail tar test touch true umask useradd wget'.split(
    ' '
  )
)
const TARGETS = readFileSync(join(PROJECT, 'Makefile'), 'utf8')

const REDIRECTION = /^\d?[<>]/

/** Words of one simple command. Quotes are taken off; what they hold stays as it is. */
function wordsOf(command: string): string[] {
  return Array.from(command.matchAll(/(?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|[^\s'"\\])+/gs), ([word]) =>
    word.replace(
      /'([^']*)'|"((?:\\.|[^"\\])*)"|\\(.)/gs,
      (_all, single, double, escaped) => single ?? double ?? escaped
    )
  )
}

/** `VALUE` in the place of each `$(...)`, which may have brackets of its own. */
function withoutValues(text: string): string {
  const start = text.indexOf('$(')
  if (start < 0) return text
  let [end, depth] = [start + 2, 1]
  for (; end < text.length && depth > 0; end++) depth += text[end] === '(' ? 1 : text[end] === ')' ? -1 : 0
  return `${text.slice(0, start)}VALUE${withoutValues(text.slice(end))}`
}

/** Simple commands of a block, without comments and without what stands for a value: `$(...)`. */
export function commandsIn(block: string): string[] {
  const parts: string[] = []
  let part = ''
  const text = withoutValues(block.replaceAll('\\\n', ' '))
  for (const [token] of text.matchAll(
    /'[^']*'|"(?:\\.|[^"\\])*"|(?<=^|\s)#.*|\\.|&&|\|\||[;|\n&]|[^'"\\;|&\n#]+|[\s\S]/g
  )) {
    if (/^(?:&&|\|\||[;|\n&])$/.test(token)) {
      parts.push(part)
      part = ''
    } else if (!token.startsWith('#')) part += token
  }
  return [...parts, part].map((one) => one.trim()).filter((one) => one !== '')
}

/** What the contract of the API says of a call of `curl`; undefined: it has the operation, or it is another server. */
export function contractProblem(command: string): string | undefined {
  const words = wordsOf(command)
  const address = words.find((word) => /^(?:https?:\/\/|\$API)/.test(word))
  if (address === undefined) return 'curl without an address'
  const path = /^(?:\$API|https?:\/\/.*?\/api\/v2)(\/[^?]*)?/.exec(address)
  if (!path) return undefined
  const way = words.indexOf('-X')
  const hasBody = words.some((word) => /^(?:-d|--data)/.test(word)) && !words.some((word) => /^-\w*G/.test(word))
  const method = way >= 0 ? words[way + 1] : hasBody ? 'POST' : 'GET'
  const asked = (path[1] ?? '').split('/')
  const isThere = operationsOf(testDocument).some(
    (one) =>
      one.method === method &&
      one.path.split('/').length === asked.length &&
      one.path.split('/').every((part, at) => part.startsWith('{') || part === asked[at])
  )
  return isThere ? undefined : `the API has no ${method} ${path[1]}`
}

/** @returns undefined: nothing is wrong */
async function commandProblem(command: string): Promise<string | undefined> {
  const words = wordsOf(command)
    .filter((word, at, all) => !REDIRECTION.test(word) && !/^\d?>>?$|^<$/.test(all[at - 1] ?? ''))
    .map((word) => word.replace(/^[({]+/, ''))
  while (/^(?:\w+=|export$|sudo$)/.test(words[0] ?? ''))
    // As whom: `sudo -u troupe`.
    if (words.shift() === 'sudo' && words[0] === '-u') words.splice(0, 2)
  const [first, ...rest] = words
  if (first === undefined) return undefined
  if (first === 'troupe') return troupeProblem(rest)
  if (first === 'node' && rest[0]?.endsWith('troupe.js')) return troupeProblem(rest.slice(1))
  if (first === 'curl') return contractProblem(command)
  if (first === 'make') {
    const target = rest.find((word) => !word.includes('='))
    return target === undefined || new RegExp(`^${target}:|\\b${target}\\b`, 'm').test(TARGETS)
      ? undefined
      : `make has no ${target}`
  }
  return OTHERS.has(first) ? undefined : `nobody knows the program ${first}`
}

async function troupeProblem([name = '', ...argv]: string[]): Promise<string | undefined> {
  if (name === '--help' || name === '--version') return undefined
  const command = commands.find((one) => one.name === name)
  if (!command) return `troupe has no command ${name}`
  try {
    await readArguments(command, argv)
    return undefined
  } catch (error) {
    return String(error instanceof Error ? error.message : error)
  }
}

/** Problems of a whole block. */
export async function shellProblems(block: string): Promise<string[]> {
  const { status, stderr } = spawnSync('sh', ['-n'], { input: block, encoding: 'utf8' })
  const found = await Promise.all(commandsIn(block).map(commandProblem))
  return [...(status === 0 ? [] : [`sh: ${stderr}`]), ...found.filter((one) => one !== undefined)]
}
