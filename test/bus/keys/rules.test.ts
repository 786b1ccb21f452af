/** Who may be enrolled or revoked. Source: distribution 6 (keys). */
import { expect } from 'chai'
import { enrolledWith, revokedFrom } from '../../../src/bus/keys/rules.ts'

const [A, B] = ['aaaaaaaaaaaaaaaa', 'bbbbbbbbbbbbbbbb']
const publicKey = `U${'A'.repeat(55)}`

describe('bus › keys › who may be enrolled and revoked', () => {
  it('a name has one key at a time; enrolled again it keeps its home, so that it is the same worker', () => {
    const homes = [A, B]
    const enroll = (workers: Parameters<typeof enrolledWith>[0], id: string, at: number) =>
      enrolledWith(workers, { id, publicKey, at }, () => homes.shift() ?? '').workers
    const both = enroll(enroll([], 'gpu-1', 1_000), 'gpu-2', 2_000)
    expect(() => enroll(both, 'gpu-1', 3_000)).to.throw(
      'gpu-1 has had a key since 1970-01-01T00:00:01.000Z: take that away first (troupe worker revoke gpu-1)'
    )
    const revoked = revokedFrom(both, 'gpu-1', 4_000)
    expect(() => revokedFrom(revoked, 'gpu-1', 5_000)).to.throw(/was revoked before, at 1970-01-01T00:00:04/)
    expect(() => revokedFrom(revoked, 'gpu-3', 5_000)).to.throw(/no worker gpu-3 is enrolled.*; did you mean gpu-/)
    expect(enroll(revoked, 'gpu-1', 6_000)).to.deep.equal([
      { id: 'gpu-2', home: B, publicKey, enrolledAt: 2_000 },
      { id: 'gpu-1', home: A, publicKey, enrolledAt: 6_000 }
    ])
  })
})
