/** Source: execution-semantics 9.5.1. */
import { expect } from 'chai'
import { subRunId } from '../../../src/definition/steps/sub-run-id.ts'

describe('9.5.1 sub run id = base58 of SHA-256 of `<parent run id>:<step name>:<final params text>`', () => {
  it('is 43 or 44 characters of the Bitcoin alphabet', () => {
    for (let count = 0; count < 200; count++)
      expect(subRunId('parent', 'step', String(count))).to.match(/^[1-9A-HJ-NP-Za-km-z]{43,44}$/)
  })

  it('is the same for the same caller and params, another for any other; a repeated pass adds text of its own', () => {
    expect(subRunId('r1', 'a', 'X="9"'), 'as another program makes it').to.equal(
      '9GKcz3fcRc7h4xUMoUiFBEp9FkXtcyD5pk31yxwNByAk'
    )
    const ids = [
      subRunId('r1', 'a', 'X="9"'),
      subRunId('r2', 'a', 'X="9"'),
      subRunId('r1', 'b', 'X="9"'),
      subRunId('r1', 'a', ''),
      subRunId('r1', 'a', 'X="9"', '00ff00ff00ff00ff')
    ]
    expect(new Set(ids)).to.have.length(5)
  })
})
