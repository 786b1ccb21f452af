/** `notify`: each target is checked as a whole, and every problem is named. Source: docs/notifications.md "Targets". */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { expect } from 'chai'
import { explainConfig, readConfig } from '../../src/config.ts'
import { TroupeError } from '../../src/errors.ts'
import { temporaryFolder } from '../support/homes.ts'

const SECRET = 'a secret of enough bytes'
const GOOD = { url: 'https://example.com/hook', events: ['run.failed'], secret: SECRET }
const read = (...notify: unknown[]) => readConfig({ home: '/nowhere', settings: { notify } }, {})
const targetOf = (target: object) => read({ ...GOOD, ...target }).notify[0]

function problemsOf(...notify: unknown[]): string[] {
  try {
    read(...notify)
  } catch (error) {
    if (error instanceof TroupeError) return error.details?.errors as string[]
  }
  return []
}

describe('configuration › notify[]', () => {
  it('a target with its defaults; it is named after its host', () => {
    const { url, secrets, ...target } = targetOf({}) ?? {}
    expect(target).to.deep.equal({
      name: 'example.com',
      events: ['run.failed'],
      subRuns: false,
      params: false,
      headers: {},
      timeoutMs: 10_000,
      maxAttempts: 25,
      giveUpAfterMs: 86_400_000
    })
    expect([url?.reveal(), secrets?.map((secret) => secret.reveal())]).to.deep.equal([GOOD.url, [SECRET]])
  })

  it('patterns stand for the events that they match', () => {
    expect(targetOf({ events: ['run.*ed', 'worker.lost'] })?.events).to.deep.equal([
      'run.queued',
      'run.started',
      'run.succeeded',
      'run.partially_succeeded',
      'run.failed',
      'run.canceled',
      'worker.lost'
    ])
    expect(targetOf({ events: '*' })?.events).to.include.members(['run.waiting', 'step.retried', 'worker.back'])
  })

  it('a secret is a text, several, or the content of a file beside the configuration; none gives a warning', () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'hook.key'), `${SECRET}\n`, { mode: 0o600 })
    writeFileSync(
      join(folder, 'config.yaml'),
      `notify:
  - { url: "https://example.com/hook", events: [run.*], secret: ["\${HOOK}", whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw], secretFile: hook.key }
  - { url: "http://other.example.com", events: [run.*] }
`,
      { mode: 0o600 }
    )
    const { notify, warnings } = readConfig({ home: folder }, { HOOK: 'one from the environment' })
    expect(notify[0]?.secrets.map((secret) => secret.reveal())).to.deep.equal([
      'one from the environment',
      'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
      SECRET
    ])
    expect(warnings.filter((text) => text.includes('notify[1]')).join('\n'))
      .to.contain('what other.example.com is told travels in clear text: use https')
      .and.to.contain('without a secret other.example.com cannot tell who a request is from')
  })

  it('secrets are shown nowhere', () => {
    const url = 'https://example.com/token-in-the-path'
    const headers = { Authorization: 'Bearer of-a-token' }
    const { config, shown } = explainConfig({ home: '/nowhere', settings: { notify: [{ ...GOOD, url, headers }] } }, {})
    const texts = [JSON.stringify(config), inspect(config, { depth: 9 }), JSON.stringify(shown())].join('\n')
    for (const hidden of [SECRET, 'token-in-the-path', 'of-a-token']) expect(texts).not.to.contain(hidden)
    expect(shown().find(({ key }) => key === 'notify')?.value).to.equal('***')
  })

  it('every problem is named, with what was wanted', () => {
    expect(problemsOf({ url: 'ftp://x', events: ['run.fail', 'no.*'], secret: 'short', timeOut: '1s' })).to.deep.equal([
      'notify[0]: unknown member timeOut; did you mean timeout?',
      'notify[0].url: wanted an http or https address such as https://example.com/hook, without user and fragment',
      'notify[0].events: there is no event "run.fail"; did you mean run.failed?',
      'notify[0].events: there is no event "no.*", only run.queued, run.started, run.waiting, run.succeeded, run.partially_succeeded, run.failed, run.canceled, step.retried, step.failed, worker.lost, worker.back',
      'notify[0].secret: wanted at least 16 bytes, found fewer'
    ])
    const wrong = { dags: [], headers: { 'webhook-id': 'x', 'a b': 'y', z: 1 }, maxAttempts: 0, giveUpAfter: '0s' }
    expect(problemsOf({ ...GOOD, ...wrong, timeout: '2m', params: 'perhaps', secret: 'whsec_&&' })).to.deep.equal([
      'notify[0].dags: wanted a text, or a list of texts',
      'notify[0].timeout: wanted more than 0 and at most 60s',
      'notify[0].giveUpAfter: wanted more than 0 and at most 720h',
      'notify[0].params: wanted true or false, found "perhaps"',
      'notify[0].secret: wanted Base64 after whsec_',
      'notify[0].headers.webhook-id: the request has its own',
      'notify[0].headers: wanted the name of a header, found "a b"',
      'notify[0].headers.z: wanted a text of one line',
      'notify[0].maxAttempts: wanted an integer from 1 to 1000, found 0'
    ])
    expect(problemsOf({ ...GOOD, secretFile: '/nowhere/key' })).to.deep.equal([
      'notify[0].secretFile: it cannot be read: ENOENT'
    ])
    expect(problemsOf({ url: 'https://user:secret@example.com' }).join()).not.to.contain('user:secret')
  })

  it('two targets of one name are refused, and more than 50', () => {
    expect(problemsOf(GOOD, GOOD)).to.deep.equal([
      'notify: wanted different names, found "example.com" twice: give each a name'
    ])
    expect(problemsOf(...Array.from({ length: 51 }, (_, at) => ({ ...GOOD, name: `n${at}` })))).to.deep.equal([
      'notify: wanted at most 50 targets, found 51'
    ])
  })
})

describe('configuration › server.publicUrl', () => {
  const address = (settings: object) => readConfig({ home: '/nowhere', settings }, {}).publicUrl
  it('the address of this server for people, without a slash at its end; else auth.oidc.clientUrl', () => {
    expect(address({})).to.equal(undefined)
    expect(address({ 'server.publicUrl': 'https://troupe.example.com/eng/' })).to.equal(
      'https://troupe.example.com/eng'
    )
    expect(() => address({ 'server.publicUrl': 'troupe.example.com' })).to.throw('wanted an http or https address')
  })
})
