/** Labels of metrics cannot grow without a bound. Decision D1413. */
import { expect } from 'chai'
import { bounded } from '../../../src/api/metrics/registry.ts'

describe('metrics › labels', () => {
  it('the first values stay themselves for good, and all others share one', () => {
    const labelOf = bounded({ most: 2 })
    expect(['a', 'b', 'c', 'a', 'd', 'b'].map(labelOf)).to.deep.equal(['a', 'b', 'other', 'a', 'other', 'b'])
  })
})
