/** Bodies, paths, queries and bytes that are wrong: a documented 4xx or a list of errors, with all problems at once; nothing changes, and the server lives. Source: reliability P19, P21, P22; architecture 7. */
import { connect } from 'node:net'
import { expect } from 'chai'
import { GOOD, KIB, MIB, refused, unharmedApi } from '../../support/api/bad-input.ts'

describe('API › bad input', () => {
  const { api, send } = unharmedApi()

  describe('JSON bodies', () => {
    const START = '/dags/good/start'

    it('malformed JSON, a non-object body, other bytes: 400 with the place', async () => {
      for (const body of [
        '{',
        '{"params":',
        '{"a" 1}',
        "{'a': 1}",
        '{"a":1,}',
        '{"a":01}',
        '{"a":NaN}',
        '{}{}',
        '{"a":"\n"}',
        '{"\\u12":1}'
      ])
        expect(refused(body, await send('POST', START, body)).message).to.match(/^malformed JSON at character \d+: /)
      for (const body of ['[]', 'null', '"x"', '5', 'true']) refused(body, await send('POST', START, body))
      for (const bytes of [Buffer.from([0xff, 0xfe, 0x7b]), Buffer.from([0x7b, 0xc3, 0x28, 0x7d])])
        refused('bytes', await send('POST', START, bytes))
    })

    it('deeply nested: [ and {"a": of 2, 10, 40 KB and 1 MiB, sweeps', async () => {
      const sizes = [2 * KIB, 10 * KIB, 40 * KIB, MIB, ...Array.from({ length: 20 }, (_, at) => 1600 + at * 370)]
      for (const size of sizes)
        for (const shape of ['[', '{"a":', '{"params":[', '[{"a":'])
          for (const [method, path] of [
            ['POST', START],
            ['POST', '/dags/validate'],
            ['PUT', '/dags/good/spec']
          ] as const)
            refused(`${shape} ${size}`, await send(method, path, shape.repeat(size / shape.length)))
      const closed = `{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`
      expect(refused('closed', await send('POST', START, closed)).message).to.contain('nested deeper than 64')
    })

    it('params as deeply nested JSON, broken JSON, too long, with reserved names: 400', async () => {
      for (const size of [2 * KIB, 10 * KIB, 40 * KIB])
        for (const shape of ['[', '{"a":', '[{"a":'])
          refused(`${shape} ${size}`, await send('POST', START, { params: shape.repeat(size / shape.length) }))
      for (const params of [
        '{"a":',
        '[1,',
        '{"__proto__":"x"}',
        '{"constructor":1}',
        '__proto__=1',
        'x'.repeat(64 * KIB + 1)
      ])
        refused(params.slice(0, 40), await send('POST', START, { params }))
    })

    it('fields of a wrong type: all of them are named', async () => {
      const { details } = refused(
        'start',
        await send('POST', START, { params: 1, dagRunId: [], dagName: {}, singleton: 'true' })
      )
      expect(details.errors).to.have.length(4)
      refused('POST /dags', await send('POST', '/dags', { name: null, spec: 5 }))
      refused('POST /dags', await send('POST', '/dags', { spec: GOOD }))
      refused('PUT', await send('PUT', '/dags/good/spec', { spec: ['x'] }))
      refused('PUT', await send('PUT', '/dags/good/spec', {}))
      refused('PUT', await send('PUT', '/dags/good/spec'))
      refused('POST /dag-runs', await send('POST', '/dag-runs', { name: 'n' }))
      refused('POST /dag-runs', await send('POST', '/dag-runs', { spec: ' \n', name: 'n' }))
      refused('validate', await send('POST', '/dags/validate', '[]'))
      const { status, json } = await send('POST', '/dags/validate', { spec: 5, name: ['x'] })
      expect([status, json.valid, json.errors.length]).to.deep.equal([200, false, 2])
    })

    it('names and ids: all problems at once', async () => {
      const { details } = refused('start', await send('POST', START, { dagRunId: 'a b', dagName: 'x/y' }))
      expect(details.errors).to.have.length(2)
      for (const dagName of ['..', '.', '../x', 'a b', 'x'.repeat(41), 'ü', '$(id)'])
        refused(dagName, await send('POST', START, { dagName }))
      for (const dagRunId of ['..', 'a/b', 'a.b', 'x'.repeat(65), 'latest', '%2e'])
        refused(dagRunId, await send('POST', START, { dagRunId }))
      for (const name of ['', '..', '.hidden', '-rf', 'a/b', '../a', 'a\\b', 'x'.repeat(41), 'a\n'])
        refused(name, await send('POST', '/dags', { name }))
      for (const name of ['..', '.'])
        refused(`a spec named ${name}`, await send('POST', '/dag-runs', { spec: `name: ${name}\n${GOOD}` }))
    })

    it('null bytes: 400', async () => {
      for (const body of [{ params: 'a\0' }, { dagRunId: 'a\0' }, { dagName: '\0' }])
        refused('start', await send('POST', START, body))
      refused('inline', await send('POST', '/dag-runs', { spec: `${GOOD}\0`, name: 'n' }))
      refused('create', await send('POST', '/dags', { spec: `${GOOD}\0`, name: 'n' }))
      refused('put', await send('PUT', '/dags/good/spec', { spec: `${GOOD}\0` }))
    })

    it('T9 body limit 2 MiB -> 413 bad_request', async () => {
      const fits = `{"x":"${'x'.repeat(2 * MIB - 8)}"}`
      for (const path of ['/dag-runs', '/dags', '/dags/validate', START])
        refused(path, await send('POST', path, `${fits} `), 413)
      refused('fits, and has no name', await send('POST', '/dags', fits))
    })
  })

  describe('paths and queries', () => {
    it('T8 %2F, .., null bytes and other characters in a name: 400, and no file is touched', async () => {
      for (const name of [
        'a%2Fb',
        '..%2F..%2Fetc%2Fpasswd',
        '%2e%2e',
        '%2E',
        '..',
        'a%00',
        '%00',
        'a%20b',
        '%F0%9F%98%80',
        'a.b%2F..%2Fgood'
      ])
        for (const path of ['', '/spec']) refused(name, await api.call('GET', `/dags/${name}${path}`))
      for (const name of ['..%2Fgood', '..', 'good%00', 'good.yaml%00'])
        refused(name, await send('PUT', `/dags/${name}/spec`, { spec: GOOD }))
      for (const name of ['..', '%2e', 'a%2Fb', 'x'.repeat(41), '%00'])
        for (const path of [`/dag-runs/${name}`, `/dag-runs/${name}/done`, `/dag-runs/${name}/done/log`])
          refused(path, await api.call('GET', path))
      for (const id of ['..', '%2e%2e', 'a%2Fb', 'x'.repeat(65), 'a.b', '%00'])
        for (const path of ['', '/log', '/steps/cmd_1/log'])
          refused(id, await api.call('GET', `/dag-runs/good/${id}${path}`))
      for (const step of ['..%2F..%2Frun', '%2e%2e', 'x'.repeat(999)])
        refused(step, await api.call('GET', `/dag-runs/good/done/steps/${step}/log`), 404, 'not_found')
      for (const step of ['a%00', 'x'.repeat(1_001)])
        refused(step, await api.call('GET', `/dag-runs/good/done/steps/${step}/log`))
      for (const path of ['/dags/%ff', '/dags/%zz', '/dags/%', '/dag-runs/good/%c3%28'])
        refused(path, await api.call('GET', path))
    })

    it('huge, broken and repeated query numbers: 400 with all of them named; odd but whole ones: 200', async () => {
      const wrong = ['99999999999999999999', '1e9', '0x10', '1.5', 'NaN', '-', '%00', '1%2000', '9007199254740993']
      for (const number of wrong) {
        const { details } = refused(number, await api.call('GET', `/dags?page=${number}&perPage=${number}`))
        expect(details.errors, number).to.have.length(2)
        for (const name of ['status', 'fromDate', 'toDate', 'limit'])
          refused(`${name}=${number}`, await api.call('GET', `/dag-runs?${name}=${number}`))
        for (const name of ['tail', 'head', 'offset', 'limit'])
          refused(`${name}=${number}`, await api.call('GET', `/dag-runs/good/done/log?${name}=${number}`))
      }
      for (const status of ['7', '-1', '9007199254740991'])
        refused(status, await api.call('GET', `/dag-runs?status=${status}`))
      for (const query of ['page=1&page=2', 'order=asc&order=desc', 'remoteNode=x'])
        refused(query, await api.call('GET', `/dags?${query}`))
      refused('cursor', await api.call('GET', '/dag-runs?cursor=nonsense'))
      for (const number of ['9007199254740991', '-9007199254740991', '0', '-1', '%2B5']) {
        for (const path of [
          `/dags?page=${number}&perPage=${number}`,
          `/dag-runs?fromDate=${number}`,
          `/dag-runs?toDate=${number}&limit=${number}`
        ])
          expect((await api.call('GET', path)).status, path).to.equal(200)
        for (const name of ['tail', 'head', 'offset', 'limit'])
          expect(
            (await api.call('GET', `/dag-runs/good/done/log?${name}=${number}`)).status,
            `${name}=${number}`
          ).to.equal(200)
      }
    })

    it('unknown paths 404, wrong methods 405, each with an Error object', async () => {
      refused('path', await api.call('GET', '/nowhere'), 404, 'not_found')
      refused('path', await api.callAt('GET', '/api/v2/../../etc/passwd'), 404, 'not_found')
      refused('method', await api.call('PATCH', '/dags'), 405)
      refused('not a path', await api.callAt('GET', `http://127.0.0.1:${api.port}/api/v2/health`))
    })
  })

  describe('HTTP', () => {
    /** What the server answers to bytes until it closes the connection. */
    const answerTo = (bytes: string) =>
      new Promise<string>((resolve, reject) => {
        let text = ''
        const socket = connect(api.port, '127.0.0.1', () => socket.write(bytes))
        socket.setEncoding('utf8').on('data', (data) => {
          text += data
        })
        socket.on('error', reject).on('close', () => resolve(text))
      })
    const expectRefusal = (answer: string, status: number) => {
      const [head = '', body = ''] = answer.split('\r\n\r\n')
      expect(head).to.match(new RegExp(`^HTTP/1.1 ${status} `))
      expect(JSON.parse(body)).to.include.all.keys('code', 'message').and.include({ code: 'bad_request' })
    }
    const GET = 'GET /api/v2/health HTTP/1.1\r\nHost: localhost\r\n'

    it('header floods: 431', async () => {
      expectRefusal(await answerTo(`${GET}X-Big: ${'x'.repeat(20 * KIB)}\r\n\r\n`), 431)
      expectRefusal(
        await answerTo(`${GET}${Array.from({ length: 5_000 }, (_, at) => `X-${at}: y`).join('\r\n')}\r\n\r\n`),
        431
      )
      expectRefusal(
        await answerTo(`GET /api/v2/dags?name=${'x'.repeat(20 * KIB)} HTTP/1.1\r\nHost: localhost\r\n\r\n`),
        431
      )
    })

    it('what is no HTTP: 400', async () => {
      for (const bytes of [
        'nonsense\r\n\r\n',
        '\x16\x03\x01\x02\x00',
        `${GET}Bad Header\r\n\r\n`,
        `${GET}Content-Length: -1\r\n\r\n`,
        `${GET}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n`
      ])
        expectRefusal(await answerTo(bytes), 400)
    })

    it('a Host, Origin or Content-Encoding of a stranger is refused', async () => {
      refused('Host', await send('POST', '/dags/good/start', {}, { Host: 'evil.example' }), 403, 'forbidden')
      refused('Origin', await send('POST', '/dags/good/start', {}, { Origin: 'http://evil.example' }), 403, 'forbidden')
      refused('Content-Encoding', await send('POST', '/dags/good/start', '{}', { 'Content-Encoding': 'gzip' }))
    })
  })
})
