/** What stands in a sentence as code is there: commands with their flags, targets of `make`, operations of the API. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { commands } from '../../src/cli/input/commands.ts'
import { commonFlags } from '../../src/cli/input/shared-flags.ts'
import { operationsOf } from '../../src/site/tables/operations.ts'
import { testDocument } from '../support/api/response-check.ts'
import { PAGES } from '../support/docs/fences.ts'
import { PROJECT } from '../support/project.ts'

/** These tell of other releases, too. */
const OF_THEN = /^(?:CHANGELOG|docs\/decisions\/)/
/** Words that stand for a command. */
const ANY = new Set(['COMMAND', 'help'])
const TARGETS = readFileSync(join(PROJECT, 'Makefile'), 'utf8')

const codeIn = (text: string): string[] =>
  Array.from(text.replace(/^ *```[\s\S]*?^ *```$/gm, '').matchAll(/(?<!`)`([^`]+)`(?!`)/g), ([, code = '']) =>
    code.replaceAll(/\s+/g, ' ')
  )

/** @returns undefined: nothing is wrong with it, or it is none of these */
function problemOf(code: string): string | undefined {
  const [program, name = '', ...rest] = code.split(' ')
  if (program === 'troupe' && /^\w/.test(name) && !ANY.has(name)) {
    const command = commands.find((one) => one.name === name)
    if (!command) return `troupe has no command ${name}`
    const flags = [...command.flags, ...commonFlags].flatMap(({ name, alias = name }) => [name, alias])
    const own = rest.slice(0, rest.includes('--') ? rest.indexOf('--') : rest.length)
    const strange = own
      .flatMap((word) => /^\[?--([\w.-]+)/.exec(word)?.[1] ?? [])
      .filter((flag) => !flags.includes(flag))
    return strange.length > 0 ? `${name} has no --${strange[0]}` : undefined
  }
  if (program === 'make' && /^[\w-]+$/.test(name))
    return new RegExp(`^${name}:|^\\.PHONY:.* ${name}\\b|^FAULTS :=.* ${name}\\b`, 'm').test(TARGETS)
      ? undefined
      : `make has no ${name}`
  if (/^(?:GET|POST|PUT|PATCH|DELETE)$/.test(program ?? '') && name.startsWith('/')) {
    const asked = name
      .replace(/^\/api\/v2/, '')
      .replace(/[?#].*$/, '')
      .split('/')
    const isThere = operationsOf(testDocument).some(
      ({ method, path }) =>
        method === program &&
        path.split('/').length === asked.length &&
        path.split('/').every((part, at) => part === asked[at] || (part.startsWith('{') && asked[at] !== ''))
    )
    return isThere ? undefined : `the API has no ${program} ${name}`
  }
  return undefined
}

/** Not of the API of version 2: the page says where they are. */
const ELSEWHERE = new Set(['GET /health', 'POST /oidc-logout', 'GET /metrics'])

describe('code within sentences', () => {
  for (const page of PAGES.filter((one) => !OF_THEN.test(one)))
    it(`${page}: commands, flags, targets and operations are there`, () => {
      const found = codeIn(readFileSync(join(PROJECT, page), 'utf8')).filter((code) => !ELSEWHERE.has(code))
      expect(found.flatMap((code) => problemOf(code) ?? [])).to.deep.equal([])
    })
  for (const [code, problem] of [
    ['troupe statr etl', 'troupe has no command statr'],
    ['troupe start etl --nowhere', 'start has no --nowhere'],
    ['make hay', 'make has no hay'],
    ['GET /dag-runs/{name}/hay', undefined],
    ['PUT /dags/{fileName}', 'the API has no PUT /dags/{fileName}']
  ] as const)
    it(`${code}: ${problem ?? 'is there'}`, () => {
      expect(problemOf(code)).to.equal(problem)
    })
})
