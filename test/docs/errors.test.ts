/** Errors: the table in src/errors.ts, the page made of it, the code that raises them, and the contract of the API say the same. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { ERRORS, type ErrorRow } from '../../src/errors.ts'
import { testDocument } from '../support/api/response-check.ts'
import { PROJECT } from '../support/project.ts'

const PAGE = join(PROJECT, 'docs', 'errors.md')
const rows: [string, ErrorRow][] = Object.entries(ERRORS)

const table = rows
  .map(([code, { status, means, fix, also = {} }]) => {
    const others = Object.entries(also).map(([other, when]) => ` ${other}: ${when}.`)
    return `| \`${code}\` | ${status} | ${means}${others.join('')} | ${fix} |\n`
  })
  .join('')

const page = `# Errors

<!-- Made from src/errors.ts by \`make golden\`. -->

A failed request is answered with an Error object, \`{"code": "...", "message": "...", "details": {...}}\`. The message says what was
wanted and what was found. The command line prints the message on stderr and exits with 1; with \`--json\` it also prints
\`{"error": {"code": "...", "message": "..."}}\` on stdout. In a host application these errors are \`TroupeError\`s with the same \`code\`,
and \`troupe/client\` throws them as \`ApiError\`s.

| Code | HTTP | What it means | How to fix it |
|---|---|---|---|
${table}`

/** What the sources raise: a text that is a code, outside the table itself and the contract. */
const sources = readdirSync(join(PROJECT, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && name !== 'errors.ts' && !name.includes('contract'))
  .map((name) => readFileSync(join(PROJECT, 'src', name), 'utf8'))

const raised = new Set(
  sources.flatMap((text) => [...text.matchAll(/TroupeError\(\s*'(\w+)'/g)].map(([, code = '']) => code))
)

/** Codes of every failure in the OpenAPI document, each with its status. */
const documented = Object.entries(testDocument.components.responses ?? {}).flatMap(([name]) => {
  const [status, ...codes] = name.split('-')
  return codes.map((code) => `${status} ${code}`)
})

describe('errors', () => {
  it('docs/errors.md is made of the table', () => {
    if (process.env.UPDATE_GOLDEN) writeFileSync(PAGE, page)
    else expect(readFileSync(PAGE, 'utf8'), 'make golden writes it').to.equal(page)
  })
  it('every code that is raised is in the table', () => {
    expect([...raised].filter((code) => !(code in ERRORS))).to.deep.equal([])
    expect(raised.size).to.be.greaterThan(5)
  })
  for (const [code, { status, also = {} }] of rows) {
    it(`${code} is raised`, () => {
      expect(sources.some((text) => text.includes(`'${code}'`))).to.equal(true)
    })
    it(`${code} is in the OpenAPI document as ${status}`, () => {
      expect(documented).to.include(`${status} ${code}`)
      const known = [status, ...Object.keys(also)].map((one) => `${one} ${code}`)
      const found = documented.filter((one) => one.endsWith(` ${code}`))
      expect(found.filter((one) => !known.includes(one))).to.deep.equal([])
    })
  }
})
