/** Errors: the table in src/errors.ts, of which docs/errors.md is made (see tables.test.ts), the code that raises them, and the contract of the API say the same. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { ERRORS, type ErrorRow } from '../../src/errors.ts'
import { testDocument } from '../support/api/response-check.ts'
import { PROJECT } from '../support/project.ts'

const rows: [string, ErrorRow][] = Object.entries(ERRORS)

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
