/** The requests that the reference of the API shows are requests that the contract takes. Source: docs/http-api.md. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect } from 'chai'
import { exampleOf } from '../../src/site/tables/api-pages.ts'
import { bodyOf, operationsOf, parametersOf } from '../../src/site/tables/operations.ts'
import { testDocument } from '../support/api/response-check.ts'
import { contractProblem } from '../support/docs/curl-line.ts'

describe('site › examples of the API', () => {
  const ajv = new Ajv2020({ strict: false })
  ajv.addSchema({ $id: 'api', ...testDocument })
  for (const one of operationsOf(testDocument))
    it(`${one.method} ${one.path}: has all that it must have, as it must be`, () => {
      const example = exampleOf(testDocument, one)
      expect(contractProblem(example)).to.equal(undefined)
      const query = new URL(/http:\/\/[^\s']+/.exec(example)?.[0] ?? '').searchParams
      for (const { name, in: place, required } of parametersOf(testDocument, one.operation))
        if (required && place === 'query') expect(query.get(name), name).to.match(/\S/)
      const [, body] = /-d '(.*)'$/s.exec(example) ?? []
      expect(body === undefined).to.equal(bodyOf(one.operation) === undefined)
      if (body === undefined) return
      const pointer = `/paths/${one.path.replaceAll('/', '~1')}/${one.method.toLowerCase()}`
      const isValid = ajv.validate(
        { $ref: `api#${encodeURI(pointer)}/requestBody/content/application~1json/schema` },
        JSON.parse(body)
      )
      expect(isValid, ajv.errorsText()).to.equal(true)
    })
})
