/** Callers x operations x definitions: allowed, refused or not found, on every door of a real server; made of the table of operations. Source: docs/authentication.md "Roles". */
import { expect } from 'chai'
import { fetchHandler } from '../../../../src/http/index.ts'
import {
  accessScene,
  as,
  CALLERS,
  DAGS,
  isEnough,
  keysFor,
  MARK,
  pathFor,
  type Rank,
  type Row,
  rows
} from '../../../support/api/access-scene.ts'
import { inTurn, oneIn } from '../../../support/long.ts'

interface Answered {
  status: number
  text: string
}
type Ask = (caller: string, row: Row, name: string) => Promise<Answered>

/** What a caller with these roles gets. */
type Verdict = 'allowed' | 'refused' | 'not found'
const verdictOn = ({ role, of, path }: Row, server: Rank, own: Rank): Verdict => {
  if (role === 'none' || of === 'part') return 'allowed'
  if (!/\{(fileName|name)\}/.test(path)) return isEnough(server, role) ? 'allowed' : 'refused'
  if (own === 'none') return 'not found'
  return isEnough(own, role) ? 'allowed' : 'refused'
}

describe('access › matrix', () => {
  const { api, write } = accessScene()
  /** No operation that reads a body takes this one, so that nothing changes. */
  const NO_BODY = '{'
  const bodyFor = ({ method }: Row) => (/^(POST|PUT|PATCH)$/.test(method) ? NO_BODY : undefined)

  const ofServer: Ask = async (caller, row, name) => {
    const body = bodyFor(row)
    return api.call(row.method, pathFor(row.path, name), as(caller, { unchecked: true, ...(body ? { body } : {}) }))
  }
  let keys: Promise<Record<string, string>> | undefined
  const ofKey: Ask = async (caller, row, name) => {
    keys ??= keysFor(api.engine)
    const headers = { Authorization: `Bearer ${(await keys)[caller]}` }
    const body = bodyFor(row)
    return api.call(row.method, pathFor(row.path, name), { headers, unchecked: true, ...(body ? { body } : {}) })
  }
  const ofHost: Ask = async (caller, row, name) => {
    const answer = await handler()(
      new Request(`http://shop.example/flows/api/v2${pathFor(row.path, name)}`, {
        method: row.method,
        headers: { 'x-caller': caller },
        ...(bodyFor(row) ? { body: NO_BODY } : {})
      })
    )
    return { status: answer.status, text: await answer.text() }
  }
  let handle: ReturnType<typeof fetchHandler> | undefined
  const handler = () => {
    handle ??= fetchHandler(api.engine, {
      prefix: '/flows',
      authorize: (request) => ({ name: request.headers.get('x-caller') ?? '', permissions: ['read', 'run', 'write'] })
    })
    return handle
  }

  /** One that says `missing` where the other says its name. */
  const unnamed = ({ status, text }: Answered, name: string) =>
    `${status} ${text.replaceAll(`${name}-run`, 'X').replaceAll(new RegExp(`\\b${name}\\b`, 'g'), 'X')}`

  for (const [door, ask] of Object.entries({
    'the server': ofServer,
    'the server, by an API key': ofKey,
    'a host application': ofHost
  }))
    describe(door, () => {
      // Each door judges by the same roles: of two of them a part shows that it does.
      const callers = Object.entries(CALLERS)
      const all = rows.filter(({ of }) => of !== 'body')
      const asked = door === 'the server' ? all : oneIn(3, all)
      for (const [at, [caller, { server, with: roles }]] of (door === 'the server'
        ? callers
        : oneIn(3, callers)
      ).entries())
        it(`${caller}, ${server} of the server`, async () => {
          // In `make test` each asks about one of three; each of the three is asked about by some caller of each kind.
          for (const [nth, row] of asked.entries())
            for (const name of inTurn(at + nth, DAGS.length, DAGS)) {
              if (row.id === 'deleteDag') write(name)
              const own = roles[name] ?? 'none'
              const answer = await ask(caller, row, name)
              const what = `${row.method} ${row.path} with ${name}: ${answer.status} ${answer.text.slice(0, 200)}`
              const verdict = verdictOn(row, server, own)
              if (verdict === 'refused') {
                expect(answer.status, what).to.equal(403)
                const { message } = JSON.parse(answer.text)
                expect(message, what).to.match(
                  / may not .+: that takes the role \w+, and (access\.(roles|rules\[\d\])|(rules\[\d\] of )?the key \w+) says \w+$/
                )
              } else expect(answer.status, what).to.not.be.oneOf([401, 403])
              if (verdict === 'not found') {
                expect(answer.status, what).to.equal(404)
                expect(unnamed(answer, name), what).to.equal(unnamed(await ask(caller, row, 'missing'), 'missing'))
              }
              if (verdict === 'allowed' && row.of === 'path')
                expect(answer.text, what).to.not.match(/no definition named|there is no run \S+ of/)
              if (roles.pay === 'none') expect(answer.text, what).to.not.contain(MARK)
              if (roles.pay === 'none' && name !== 'pay') expect(answer.text, what).to.not.match(/\bpay\b/)
              if (row.id === 'deleteDag') write(name)
            }
        })
    })

  it('every operation that the API has is in the matrix, and each says what it needs', () => {
    expect(rows.length).to.be.greaterThan(80)
    expect(rows.filter(({ of }) => of === 'part').map(({ id }) => id)).to.include.members(['listDags', 'streamEvents'])
    // A new one that changes something must not be open by mistake.
    const open = rows.filter(({ role, method }) => role === 'none' && method !== 'GET')
    expect(open.map(({ id }) => id)).to.deep.equal(['validateDag'])
    const readers = rows.filter(({ role, method }) => role === 'viewer' && method !== 'GET')
    expect(readers).to.deep.equal([])
  })
})
