import { expect } from 'chai'
import { problemText } from '../../src/definition/problem-text.ts'
import { readDefinition } from '../../src/definition/read.ts'
import { casesOf, fixture, golden } from './cases.ts'

describe('expand › fixtures/expand', () => {
  for (const name of casesOf('expand')) {
    it(name, () => {
      const { plan, problems } = readDefinition(fixture(`expand/${name}/dag.yaml`), {
        fallbackName: name,
        sourceDir: '/dags'
      })
      expect(problems.map(problemText)).to.deep.equal([])
      expect(plan).to.deep.equal(golden(`expand/${name}/plan.json`, plan))
    })
  }
})
