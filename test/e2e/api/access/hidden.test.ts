/** A refusal tells neither that something hidden is there nor which rule hides it: answers are compared with those for what is not there. Source: docs/authentication.md "Roles". */
import { expect } from 'chai'
import { operationList } from '../../../../src/api/contract/operations.ts'
import { accessScene, as, CALLERS, pathFor, type Rank, rows } from '../../../support/api/access-scene.ts'

const PLAIN = 'steps: [echo hi]\n'
/** Callers who must not hear of `pay`. */
const OUTSIDERS = Object.keys(CALLERS).filter((name) => CALLERS[name]?.with.pay === 'none')

/** Members of a query that name something: with what is hidden, with what is not there. */
const NAMED: Record<string, readonly [string, string]> = {
  name: ['pay', 'zip'],
  fileName: ['pay', 'zip'],
  dagRunId: ['pay-run', 'zip-run'],
  step: ['say-hidden', 'say-zip'],
  q: ['forty-two-per-head', 'forty-zip-per-head'],
  tag: ['secret', 'zip'],
  params: ['pay', 'zip'],
  by: ['pay', 'zip']
}

describe('access › hidden', () => {
  const { api } = accessScene()
  const asked = async (caller: string, method: string, path: string, body?: object) => {
    const { status, text } = await api.call(method, path, as(caller, body === undefined ? {} : { body }))
    return { status, text }
  }
  const alike = ({ status, text }: { status: number; text: string }, ...names: string[]) =>
    // Cursors and instants are those of the moment.
    `${status} ${names.reduce((all, name) => all.replaceAll(name, 'X'), text).replace(/\d{4}-\d\d-\d\dT[\d:.]+Z?|(?<="(?:from|to)Ms":)\d+/g, 'T')}`

  before(() => {
    api.write('vault', `name: hush\ntags: [secret]\n${PLAIN}`)
  })

  for (const caller of OUTSIDERS) {
    it(`${caller}: every query that names what is hidden is answered like one that names what is not there`, async () => {
      for (const [id, { method, path, query = {}, needs }] of operationList) {
        if (method !== 'GET' || !('of' in needs)) continue
        for (const [parameter, [hidden, missing]] of Object.entries(NAMED)) {
          if (!(parameter in query)) continue
          const [bare = '', fixed] = pathFor(path, 'zip').split('?')
          const at = (value: string) => {
            const values = new URLSearchParams(fixed)
            values.set(parameter, value)
            return `${bare}?${values}`
          }
          const [one, other] = [await asked(caller, 'GET', at(hidden)), await asked(caller, 'GET', at(missing))]
          expect(alike(one, hidden), `${id} ${parameter}`).to.equal(alike(other, missing))
        }
      }
    })
    it(`${caller}: every operation about a definition, a run, a step, a log or a version, with a body that is right`, async () => {
      const BODIES: Partial<Record<string, object>> = {
        replaceDagSpec: { spec: PLAIN },
        renameDag: { newFileName: 'fresh' },
        suspendDag: { suspend: true },
        setStepStatus: { status: 2 },
        setSubRunStepStatus: { status: 2 },
        signalStep: { payload: 1 },
        signalSubRunStep: { payload: 1 }
      }
      for (const { id, method, path, of } of rows) {
        if (of !== 'path' || !/\{(fileName|name)\}/.test(path)) continue
        const body = /^(POST|PUT|PATCH)$/.test(method) ? (BODIES[id] ?? {}) : undefined
        const hidden = await asked(caller, method, pathFor(path, 'pay'), body)
        const missing = await asked(caller, method, pathFor(path, 'zip'), body)
        expect(hidden.status, `${id}: ${hidden.text}`).to.equal(404)
        expect(alike(hidden, 'pay'), id).to.equal(alike(missing, 'zip'))
      }
    })
    it(`${caller}: a key or a worker that is there, and one that is not`, async () => {
      for (const [method, path] of [
        ['DELETE', '/access/keys/'],
        ['POST', '/workers/NAME/revoke']
      ] as const) {
        const at = (name: string) => (path.includes('NAME') ? path.replace('NAME', name) : `${path}${name}`)
        const [there, missing] = [await asked(caller, method, at('ops')), await asked(caller, method, at('zip'))]
        expect(there.status).to.equal(403)
        expect(alike(there, 'ops')).to.equal(alike(missing, 'zip'))
      }
    })
  }

  it('a comparison with a hidden run is one with a run that is not there', async () => {
    const at = (name: string) => `/dag-runs/open/open-run/diff?with=${name}:${name}-run`
    for (const caller of ['viewer', 'runner', 'editor']) {
      const [hidden, missing] = [await asked(caller, 'GET', at('pay')), await asked(caller, 'GET', at('zip'))]
      expect(alike(hidden, 'pay')).to.equal(alike(missing, 'zip'))
    }
  })

  it('a name that is taken by something hidden, and a tag that hides, are refused in the same words, which name no rule', async () => {
    await api.call('POST', '/dags', as('editor', { body: { name: 'mine', spec: PLAIN } }))
    const refused = [
      ['pay', await asked('editor', 'POST', '/dags', { name: 'pay', spec: PLAIN })],
      ['vault', await asked('editor', 'POST', '/dags', { name: 'vault', spec: PLAIN })],
      ['hush', await asked('editor', 'POST', '/dags', { name: 'brand', spec: `name: hush\n${PLAIN}` })],
      ['brand', await asked('editor', 'POST', '/dags', { name: 'brand', spec: `tags: [secret]\n${PLAIN}` })],
      ['pay', await asked('editor', 'POST', '/dags/mine/rename', { newFileName: 'pay' })],
      ['vault', await asked('editor', 'POST', '/dags/mine/rename', { newFileName: 'vault' })],
      ['pay', await asked('editor', 'POST', '/dag-runs', { name: 'pay', spec: PLAIN })],
      ['pay', await asked('editor', 'POST', '/dag-runs/enqueue', { name: 'pay', spec: PLAIN })]
    ] as const
    const words = new Set(refused.map(([name, answer]) => alike(answer, name)))
    expect([...words]).to.have.length(1)
    expect([...words][0])
      .to.match(/^403 /)
      .and.not.match(/access\.rules|none|there is/)
    const runs = [
      await asked('runner', 'POST', '/dags/open/start', { dagName: 'pay' }),
      await asked('runner', 'POST', '/dags/open/enqueue', { dagName: 'pay' }),
      await asked('runner', 'POST', '/dag-runs/open/open-run/reschedule', { dagName: 'pay' })
    ]
    expect(new Set(runs.map((answer) => alike(answer, 'pay'))).size).to.equal(1)
    expect(runs[0]?.status).to.equal(403)
    expect(runs[0]?.text).not.to.match(/access\.rules|none/)
  })

  it('what the page asks about a definition', async () => {
    const at = (name: string) => `/page/session?dag=${name}`
    for (const caller of OUTSIDERS) {
      const [hidden, missing] = [
        await api.callAt('GET', at('pay'), as(caller)),
        await api.callAt('GET', at('zip'), as(caller))
      ]
      expect(alike(hidden, 'pay')).to.equal(alike(missing, 'zip'))
    }
  })

  it('each role of the server is among those who must not hear of it', () => {
    const ranks = new Set(OUTSIDERS.map((name): Rank => CALLERS[name]?.server ?? 'none'))
    expect([...ranks].sort()).to.deep.equal(['editor', 'none', 'runner', 'viewer'])
  })
})
