/** The OpenAPI document: every route is in it and nothing else, it is well formed, and everyone may read it. Source: docs/http-api.md. */
import Router from '@koa/router'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { Validator } from '@seriousme/openapi-schema-validator'
import { expect } from 'chai'
import { createApp } from '../../../src/api/app.ts'
import { readConfig } from '../../../src/config.ts'
import { misfitsOf, testDocument } from '../../support/api/response-check.ts'
import { fakeEngine } from '../../support/engine/fake-engine.ts'
import { served } from '../client.ts'

/** The router is told of by the middleware that it makes. */
const routersOf = (middleware: readonly object[]): Router[] =>
  middleware.flatMap((one) => ('router' in one && one.router instanceof Router ? [one.router] : []))

describe('OpenAPI document', () => {
  const operations = Object.entries(testDocument.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation }))
  )

  it('every route of the router is in it, and everything in it is a route', () => {
    const { middleware } = createApp(fakeEngine())
    const [router] = routersOf(middleware)
    const routes = (router?.stack ?? []).flatMap(({ methods, path }) =>
      methods
        .filter((method) => method !== 'HEAD')
        .map(
          (method) =>
            `${method} ${String(path)
              .slice('/api/v2'.length)
              .replace(/:(\w+)/g, '{$1}')}`
        )
    )
    const documented = operations.map(({ method, path }) => `${method} ${path}`)
    expect(documented.toSorted()).to.deep.equal([...new Set(routes)].sort())
    expect(documented).to.have.length.greaterThan(50)
  })

  it('every parameter of a path is described, every operation has its own id, an answer and an error', () => {
    for (const { path, operation } of operations) {
      const told = operation.parameters.flatMap((parameter) =>
        'in' in parameter && parameter.in === 'path' && 'name' in parameter ? [parameter.name] : []
      )
      expect(told, path).to.deep.equal([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name))
      const statuses = Object.keys(operation.responses).map(Number)
      expect(
        statuses.some((status) => status < 300),
        path
      ).to.equal(true)
      expect(statuses, path).to.include(400)
    }
    const ids = operations.map(({ operation }) => operation.operationId)
    expect(new Set(ids).size).to.equal(ids.length)
  })

  it('is valid OpenAPI 3.1', async () => {
    const { valid, errors } = await new Validator().validate(JSON.parse(JSON.stringify(testDocument)))
    expect({ valid, errors }).to.deep.equal({ valid: true, errors: undefined })
  })

  it('the recommended rules of a linter find nothing', async () => {
    const config = await createConfig({ extends: ['recommended'] })
    const found = await lintFromString({ source: JSON.stringify(testDocument), absoluteRef: 'openapi.json', config })
    const told = found.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`)
    // http-api has /dags/search beside /dags/{fileName}; and OpenAPI 3.1 has no place to say what an event of a stream holds.
    const known = /^no-ambiguous-paths: |^no-unused-components: Component: "JournalEvent"/
    expect(told.filter((line) => !known.test(line))).to.deep.equal([])
  })

  it('GET /openapi.json and /docs are public, also below a base path; all else is 401 without credentials', async () => {
    const config = readConfig({ home: '/nowhere', tz: 'UTC', settings: { 'auth.token.value': 'sesame' } }, {})
    const api = await served(fakeEngine({ ...config, basePath: '/eng' }))
    try {
      for (const { method, path, operation } of operations) {
        const { status } = await api.callAt(method, `/eng/api/v2${path.replace(/\{\w+\}/g, 'x')}`)
        expect(status === 401, `${method} ${path}`).to.equal(operation.security?.length !== 0)
      }
      const { json } = await api.callAt('GET', '/eng/api/v2/openapi.json')
      expect(json.servers).to.deep.equal([{ url: '/eng/api/v2' }])
      expect(json.info.version).to.equal('1.2.3')
      expect(Object.keys(json.paths)).to.deep.equal(Object.keys(testDocument.paths))
    } finally {
      await api.close()
    }
  })

  it('a remote node is never asked for it: who reads it has shown no credentials', async () => {
    const api = await served(fakeEngine())
    try {
      for (const path of ['/openapi.json', '/docs', '/docs.css'])
        expect((await api.call('GET', `${path}?remoteNode=elsewhere`)).status, path).to.equal(200)
    } finally {
      await api.close()
    }
  })

  it('the page has every operation and every object, and nothing that a stranger could run', async () => {
    const api = await served(fakeEngine())
    try {
      const { text, headers } = await api.call('GET', '/docs')
      for (const { operation } of operations) expect(text).to.contain(`<article id="${operation.operationId}"`)
      for (const name of Object.keys(testDocument.components.schemas)) expect(text).to.contain(`id="schema-${name}"`)
      expect(text).not.to.match(/<script|\sstyle=|\son\w+=|https?:/)
      expect(headers['content-security-policy']).to.contain("default-src 'none'; style-src 'self'")
      expect(headers['x-content-type-options']).to.equal('nosniff')
      const targets = new Set([...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))
      for (const [, id] of text.matchAll(/href="#([^"]+)"/g)) expect(targets, id).to.include(id)
      expect((await api.call('GET', '/docs.css')).headers['content-type']).to.equal('text/css; charset=utf-8')
    } finally {
      await api.close()
    }
  })
})

describe('the check of answers against the document', () => {
  const json = (status: number, body: unknown, headers = {}) => ({
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
    bytes: Buffer.from(JSON.stringify(body))
  })

  it('finds a status, a member, a type, a header, a code and a body that are not in it', () => {
    expect(misfitsOf('GET', '/dags/tags', json(200, { tags: ['a'], errors: [] }))).to.deep.equal([])
    expect(misfitsOf('GET', '/dags/tags', json(202, { tags: [], errors: [] })).join()).to.contain('not documented')
    expect(misfitsOf('GET', '/dags/tags', json(200, { tags: [1], errors: [] })).join()).to.contain('/tags/0')
    expect(misfitsOf('GET', '/dags/tags', json(200, { tags: [] })).join()).to.contain('errors')
    expect(misfitsOf('GET', '/dags/tags', json(200, { tags: [], errors: [], more: 1 })).join()).to.contain('more')
    expect(misfitsOf('GET', '/dags/tags', json(200, {}, { 'content-type': 'text/plain' })).join()).to.contain('type')
    expect(misfitsOf('POST', '/dags', json(201, { name: 'a' })).join()).to.contain('header Location')
    const error = { code: 'max_run_reached', message: 'x' }
    expect(misfitsOf('POST', '/dags/a/start', json(409, error))).to.deep.equal([])
    expect(misfitsOf('POST', '/dags/a/rename', json(409, error)).join()).to.contain('/code')
    expect(misfitsOf('POST', '/dags/a/suspend', json(200, {})).join()).to.contain('not empty')
    expect(misfitsOf('GET', '/no/such', json(404, { code: 'not_found', message: '' })).join()).to.contain('/message')
  })
})
