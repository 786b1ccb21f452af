/** Log endpoints. How lines are cut and counted is tested with the store. Source: http-api "Logs", api-semantics 3.8. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { fakeEngine, nodeOf, stepOf } from '../../support/engine/fake-engine.ts'
import { served } from '../client.ts'

/** 2023-11-14T22:13:20Z. */
const BEGAN_MS = 1_700_000_000_000

describe('API › logs', () => {
  const empty = { content: '', lineCount: 0, totalLines: 0, hasMore: false, isEstimate: false }
  const engine = fakeEngine()
  let folder = ''
  let api: Awaited<ReturnType<typeof served>>

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'troupe-api-logs-'))
    const file = async (name: string, content: string) => {
      await writeFile(join(folder, name), content)
      return join(folder, name)
    }
    /** Lines of four bytes, with gaps between them. */
    const timed = async () => {
      const path = await file('timed', 'one\ntwo\ntri\nfor\nfiv\n')
      const lines = [0, 4, 3, 12, 9, 16].map((number, at) => (at % 2 ? `${number}\n` : `${BEGAN_MS / 1000 + number} `))
      await file('timed.times', lines.join(''))
      return path
    }
    const nodes = [
      {
        step: stepOf('a/b c'),
        node: nodeOf('a/b c', {
          finishedAt: 5,
          stdout: await file('out', 'one\ntwo\nthree\n'),
          stderr: await file('err', 'oops\n')
        })
      },
      {
        step: stepOf('timed'),
        node: nodeOf('timed', { startedAt: BEGAN_MS, finishedAt: BEGAN_MS + 60_000, stdout: await timed() })
      },
      { step: stepOf('later'), node: nodeOf('later', { status: 'not_started' }) },
      { step: stepOf('now'), node: nodeOf('now', { status: 'running', startedAt: 1, stdout: join(folder, 'soon') }) },
      {
        step: stepOf('off'),
        node: nodeOf('off', {
          status: 'canceled',
          exitCode: -1,
          startedAt: 1,
          finishedAt: 2,
          stdout: join(folder, 'off')
        })
      },
      { step: stepOf('gone'), node: nodeOf('gone', { exitCode: 0, stdout: join(folder, 'gone') }) }
    ]
    const onExit = { step: stepOf('onExit'), node: nodeOf('onExit', { stdout: await file('exit', 'bye\n') }) }
    engine.addRun(
      { name: 'n', dagRunId: 'r-1', startedAt: 1, finishedAt: 5, log: await file('run', 'started\nfinished\n') },
      { nodes, handlers: { onExit } }
    )
    engine.addRun({ name: 'n', dagRunId: 'q-1', status: 'queued', log: join(folder, 'none'), createdAt: 9 })
    engine.addRun({ name: 'n', dagRunId: 'lost', startedAt: 1, finishedAt: 2, log: join(folder, 'none') })
    api = await served(engine)
  })
  after(async () => {
    await api.close()
    await rm(folder, { recursive: true })
  })
  const get = (path: string) => api.call('GET', `/dag-runs/n/${path}`)

  it('GET .../log -> 200 Log chunk of the run log', async () => {
    const { status, json } = await get('r-1/log')
    expect([status, json]).to.deep.equal([
      200,
      { content: 'started\nfinished', lineCount: 2, totalLines: 2, hasMore: false, isEstimate: false }
    ])
  })

  it('takes tail, head, offset, limit', async () => {
    const content = async (query: string) => (await get(`r-1/steps/a%2Fb%20c/log?${query}`)).json.content
    expect(await content('tail=1')).to.equal('three')
    expect(await content('head=1')).to.equal('one')
    expect(await content('offset=2&limit=1')).to.equal('two')
    expect(await content('limit=99999999')).to.equal('one\ntwo\nthree')
    expect(await content('tail=-5')).to.equal('one\ntwo\nthree')
    expect((await get('r-1/log?tail=x')).status).to.equal(400)
  })

  it('times: the second in which lines were begun, from one line to the next; empty where it is not known', async () => {
    const { json } = await get('r-1/steps/timed/log')
    expect(json).to.deep.include({ firstLine: 1, lineCount: 5 })
    expect(json.times).to.deep.equal([
      { line: 1, at: '2023-11-14T22:13:20Z' },
      { line: 2, at: '2023-11-14T22:13:23Z' },
      { line: 4, at: '2023-11-14T22:13:29Z' },
      { line: 5, at: '' }
    ])
    const tail = (await get('r-1/steps/timed/log?tail=3')).json
    expect(tail).to.deep.include({ content: 'tri\nfor\nfiv', firstLine: 3 })
    expect(tail.times).to.deep.equal([
      { line: 1, at: '2023-11-14T22:13:23Z' },
      { line: 2, at: '2023-11-14T22:13:29Z' },
      { line: 3, at: '' }
    ])
  })

  it('since: what is known to be older is left out, and firstLine says where the answer begins', async () => {
    const from = async (seconds: number, rest = '') => {
      const { json } = await get(`r-1/steps/timed/log?since=${BEGAN_MS / 1000 + seconds}${rest}`)
      return [json.firstLine, json.content.split('\n')[0]]
    }
    expect(await from(0)).to.deep.equal([1, 'one'])
    expect(await from(1)).to.deep.equal([2, 'two'])
    expect(await from(4)).to.deep.equal([4, 'for'])
    expect(await from(1, '&limit=1')).to.deep.equal([2, 'two'])
    expect(await from(4, '&offset=1')).to.deep.equal([1, 'one'])
    expect((await get('r-1/steps/timed/log?since=soon')).status).to.equal(400)
  })

  it('a log of which no time is known is answered as ever, whole for any since', async () => {
    const { json } = await get('r-1/steps/a%2Fb%20c/log?since=1')
    expect(json).to.deep.equal({
      content: 'one\ntwo\nthree',
      lineCount: 3,
      totalLines: 3,
      hasMore: false,
      isEstimate: false
    })
  })

  it('stream: absent = stdout; stdout or stderr, else 400', async () => {
    const log = (query: string) => get(`r-1/steps/a%2Fb%20c/log${query}`)
    expect((await log('')).json.content).to.equal('one\ntwo\nthree')
    expect((await log('?stream=stdout')).json.content).to.equal('one\ntwo\nthree')
    expect((await log('?stream=stderr')).json.content).to.equal('oops')
    const { status, json } = await log('?stream=bogus')
    expect([status, json.code]).to.deep.equal([400, 'bad_request'])
  })

  it('run exists but nothing logged yet (queued, step not started, file still to come): 200 with empty content', async () => {
    for (const path of ['q-1/log', 'r-1/steps/later/log', 'r-1/steps/later/log?stream=stderr', 'r-1/steps/now/log']) {
      const { status, json } = await get(path)
      expect([status, json], path).to.deep.equal([200, empty])
    }
  })

  it('14.2.6 a step that was stopped before it ran has logged nothing: 200 with empty content', async () => {
    const { status, json } = await get('r-1/steps/off/log')
    expect([status, json]).to.deep.equal([200, empty])
  })

  it('log file removed since: 404', async () => {
    for (const path of ['lost/log', 'r-1/steps/gone/log']) {
      const { status, json } = await get(path)
      expect([status, json.code], path).to.deep.equal([404, 'not_found'])
      expect(json.message, path).not.to.contain(folder)
    }
  })

  it('GET .../log/file -> 200 the whole log of a run or step, byte for byte, as a file', async () => {
    const whole = await get('r-1/steps/a%2Fb%20c/log/file?stream=stderr')
    expect([whole.status, whole.bytes.toString()]).to.deep.equal([200, 'oops\n'])
    expect(whole.headers).to.include({ 'content-type': 'text/plain; charset=utf-8', 'content-length': '5' })
    expect(whole.headers['content-disposition']).to.match(/^attachment; filename="n\.r-1\..*\.stderr\.log"/)
    expect((await get('r-1/log/file')).bytes.toString()).to.equal('started\nfinished\n')
    expect((await get('r-1/steps/onExit/log/file')).bytes.toString()).to.equal('bye\n')
  })

  it('.../log/file of what has written nothing yet is empty; of a log that was removed, or of nobody: 404', async () => {
    for (const path of ['q-1/log/file', 'r-1/steps/later/log/file', 'r-1/steps/now/log/file']) {
      const { status, bytes } = await get(path)
      expect([status, bytes.length], path).to.deep.equal([200, 0])
    }
    for (const path of ['lost/log/file', 'r-1/steps/gone/log/file', 'r-9/log/file', 'r-1/steps/nobody/log/file']) {
      const { status, json, headers } = await get(path)
      expect([status, json.code], path).to.deep.equal([404, 'not_found'])
      expect(headers['content-type'], path).to.match(/^application\/json/)
    }
    expect((await get('r-1/steps/now/log/file?stream=bogus')).status).to.equal(400)
  })

  it('GET .../log/search -> 200 the numbers of the lines of a run or step that have a text', async () => {
    const search = async (path: string) => (await get(path)).json
    expect(await search('r-1/log/search?text=FINI')).to.deep.equal({ lines: [2], nextOffset: 3, hasMore: false })
    const step = 'r-1/steps/a%2Fb%20c/log/search'
    expect(await search(`${step}?text=o&limit=1`)).to.deep.equal({ lines: [1], nextOffset: 2, hasMore: true })
    expect(await search(`${step}?text=o&offset=2`)).to.deep.equal({ lines: [2], nextOffset: 4, hasMore: false })
    expect((await search(`${step}?text=oops&stream=stderr`)).lines).to.deep.equal([1])
    expect((await search('r-1/steps/onExit/log/search?text=bye')).lines).to.deep.equal([1])
  })

  it('.../log/search of what has written nothing yet finds nothing; without a text, or with a line break: 400; of nobody: 404', async () => {
    for (const path of ['q-1/log', 'r-1/steps/later/log', 'r-1/steps/now/log'])
      expect((await get(`${path}/search?text=x`)).json, path).to.deep.equal({
        lines: [],
        nextOffset: 1,
        hasMore: false
      })
    for (const query of ['', '?text=', '?text=a%0Ab', `?text=${'a'.repeat(1_001)}`, '?text=a&stream=bogus'])
      expect((await get(`r-1/steps/now/log/search${query}`)).status, query).to.equal(400)
    for (const path of ['lost/log', 'r-1/steps/gone/log', 'r-9/log', 'r-1/steps/nobody/log'])
      expect((await get(`${path}/search?text=x`)).json.code, path).to.equal('not_found')
  })

  it('.../log/search with regex=true takes `text` as a regular expression; what is none: 400 with the reason', async () => {
    const lines = async (text: string, rest = '') =>
      (await get(`r-1/steps/a%2Fb%20c/log/search?regex=true&text=${encodeURIComponent(text)}${rest}`)).json
    expect(await lines('^t\\w+$')).to.deep.equal({ lines: [2, 3], nextOffset: 4, hasMore: false })
    expect(await lines('^T|e$', '&limit=1')).to.deep.equal({ lines: [1], nextOffset: 2, hasMore: true })
    expect((await lines('o{2}ps', '&stream=stderr')).lines).to.deep.equal([1])
    expect((await get('r-1/log/search?regex=true&text=%5Ef.*d%24')).json.lines).to.deep.equal([2])
    expect((await get('r-1/log/search?regex=false&text=%5Ef.*d%24')).json.lines, 'a text').to.deep.equal([])
    for (const path of ['r-1/log', 'r-1/steps/a%2Fb%20c/log', 'r-1/steps/later/log']) {
      const { status, json } = await get(`${path}/search?regex=true&text=(`)
      expect([status, json.code], path).to.deep.equal([400, 'bad_request'])
      expect(json.message, path).to.match(/^text: invalid regular expression: .*missing closing \)/)
    }
    expect((await get('r-1/log/search?regex=maybe&text=x')).status).to.equal(400)
    expect((await get('r-9/log/search?regex=true&text=(')).status).to.equal(404)
  })

  it('stepName also takes onExit, onSuccess, onFailure, onCancel', async () => {
    expect((await get('r-1/steps/onExit/log')).json.content).to.equal('bye')
    expect((await get('r-1/steps/onSuccess/log')).status).to.equal(404)
    expect((await get('r-1/steps/constructor/log')).status).to.equal(404)
  })

  it('latest works here too, it is the most recent run', async () => {
    expect((await get('latest/log')).json).to.deep.equal(empty)
    expect((await get('latest/steps/onExit/log')).status).to.equal(404)
  })

  it('unknown run or step: 404', async () => {
    for (const path of ['r-9/log', 'r-9/steps/a/log', 'r-1/steps/nobody/log']) {
      expect((await get(path)).json.code, path).to.equal('not_found')
    }
  })
})
