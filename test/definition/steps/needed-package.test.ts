/** What an executor needs and may lack. Source: embedding 5. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { packageProblem } from '../../../src/definition/steps/needed-package.ts'
import { PROJECT } from '../../support/project.ts'

describe('reader › packages that may be missing', () => {
  it('are named, with the line that installs the version of package.json', () => {
    const { optionalDependencies } = JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8'))
    const line = `npm install jq-wasm@${optionalDependencies['jq-wasm']}`
    expect(packageProblem('jq', () => false)).to.equal(
      `executor type "jq" needs the package jq-wasm, which is not installed: ${line}`
    )
    expect(Object.keys(optionalDependencies)).to.deep.equal(['jq-wasm'])
  })
  it('are no problem where they are there, and other types need none', () => {
    expect(['jq', 'shell', 'constructor'].map((type) => packageProblem(type))).to.deep.equal([
      undefined,
      undefined,
      undefined
    ])
  })
})
