/** Tests of workflows in the folder of definitions. Source: docs/testing.md. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { filesIn, findFile } from '../../../src/store/files/definitions.ts'
import { temporaryFolder } from '../../support/homes.ts'

describe('definitions › tests beside them', () => {
  it('D1126 etl.test.yaml beside etl.yaml is no definition; alone it is one', () => {
    const folder = temporaryFolder()
    for (const name of ['etl.yml', 'etl.test.yaml', 'other.test.yaml']) writeFileSync(join(folder, name), 'steps: []\n')
    expect(Array.from(filesIn(folder), ({ fileName }) => fileName)).to.deep.equal(['etl', 'other.test'])
    expect(findFile(folder, 'etl.test')).to.equal(undefined)
  })
})
