/** Sign-in, sign-out and what is refused there are entered, against a real provider. Source: docs/operating/audit.md "What is entered". */
import { expect } from 'chai'
import type { Audit } from '../../../src/audit/audit.ts'
import type { NewEntry } from '../../../src/audit/entry.ts'
import { browser } from '../../support/auth/identity-provider.ts'
import { signInScene } from '../../support/auth/sign-in-scene.ts'

describe('audit › sign-in', () => {
  const entries: NewEntry[] = []
  const audit: Audit = {
    dir: '/nowhere',
    mask: (text) => text,
    refuseWhileStuck() {},
    async note(entry) {
      entries.push(entry)
    },
    refused: (entry) => void entries.push(entry),
    answeredFor: (act) => act(),
    isAnsweredFor: () => false,
    head: () => undefined,
    async close() {}
  }
  const { at, login } = signInScene({ 'auth.oidc.whitelist': ['ann@example.org'] }, { audit })
  const shown = () => entries.map(({ operation, principal, outcome }) => [operation, principal.kind, outcome])
  beforeEach(() => entries.splice(0))

  it('who signs in and out, by name', async () => {
    const visitor = browser()
    await visitor.signIn(login(), 'ann')
    await visitor.send(at('/oidc-logout'), { method: 'POST' })
    expect(shown()).to.deep.equal([
      ['signIn', 'person', 'done'],
      ['signOut', 'person', 'done']
    ])
    expect(entries[0]?.principal.name).to.equal('ann@example.org')
  })
  it('who may not sign in here', async () => {
    await browser().signIn(login(), 'bob')
    expect(shown()).to.deep.equal([['signIn', 'person', 'forbidden']])
  })
  it('a sign-out of nobody is none, and a callback that did not start here is no sign-in', async () => {
    await browser().send(at('/oidc-logout'), { method: 'POST' })
    await browser().send(at('/oidc-callback?state=x&code=y'))
    expect(shown()).to.deep.equal([])
  })
})
