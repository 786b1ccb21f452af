/** Which variables of the server reach a step. Source: execution-semantics 3.5, distribution 5. */
import { expect } from 'chai'
import { allowedEnvironment } from '../../../src/platform/allowed-environment.ts'

describe('actors › the environment that a step may see', () => {
  it('3.5.3 credentials and addresses of the program itself are not in it', () => {
    const seen = { PATH: '/bin', LC_ALL: 'C', DAG_X: 'x', ENGINE_MINE: 'y' }
    const never = { ENGINE_AUTH_TOKEN: 'a', ENGINE_PEER_TOKEN: 'b', ENGINE_COORDINATOR_NATS: 'c', AWS_SECRET: 'd' }
    expect(allowedEnvironment({ ...seen, ...never })).to.deep.equal(seen)
  })
})
