/** What each execution of a step has written, of steps that were retried, through a real engine. Source: docs/http-api.md "Logs". */
import { expect } from 'chai'
import { z } from 'zod'
import { defineFunction } from '../../../src/index.ts'
import { liveApi } from '../../support/api/live-api.ts'

/** Counts its executions, and writes as many lines. The last line has no end. */
const COUNTS = `n=$(cat $DAG_RUN_ID.n 2>/dev/null || echo 0); n=$((n+1)); echo $n > $DAG_RUN_ID.n
      i=0; while [ $i -lt $n ]; do i=$((i+1)); echo "$n: line $i" >&2; done
      [ $n -eq 2 ] && echo said
      printf "end $n" >&2; exit $n`

interface Chunk {
  content: string
  lineCount: number
  totalLines: number
  hasMore: boolean
  firstLine: number
}

describe('logs of executions', () => {
  /** Says something from its second attempt on. */
  const says = defineFunction({ name: 'says', params: z.object({}) }, ({ attempt = 0, log }) => {
    if (attempt > 1) log.error(`number ${attempt}`)
    throw new Error('no')
  })
  const api = liveApi({ schedules: false, functions: [says] })
  before(() => {
    api.write(
      'function',
      'steps: [{name: x, retryPolicy: {limit: 2}, executor: {type: function, config: {name: says, params: {}}}}]'
    )
    api.write(
      'twofold',
      `steps:
  - name: x
    retryPolicy: {limit: 1}
    stdout: both.log
    stderr: both.log
    command: echo out; echo err >&2; exit 1
`
    )
    api.write(
      'repeats',
      `steps:
  - name: x
    repeatPolicy: {repeat: true, limit: 3}
    command: echo pass; sleep 0.01
`
    )
    api.write('thrice', `steps:\n  - name: x\n    retryPolicy: {limit: 2}\n    command: |\n      ${COUNTS}\n`)
    api.write('once', 'steps: [{name: x, command: "echo only >&2; exit 1"}]')
  })
  const ended = async (name: string) => {
    const dagRunId = await api.started(name)
    await api.ended(name, dagRunId)
    return dagRunId
  }
  const logOf = (name: string, dagRunId: string) => async (query: string) => {
    const { status, json } = await api.call('GET', `/dag-runs/${name}/${dagRunId}/steps/x/log?${query}`)
    return { status, json: json as Chunk }
  }
  const contentOf = async (log: ReturnType<typeof logOf>, query: string) => (await log(query)).json.content

  it('retries within one second are told apart, to the byte, and in each stream', async () => {
    const log = logOf('thrice', await ended('thrice'))
    const errors = (execution: number) => contentOf(log, `stream=stderr&execution=${execution}`)
    expect(await Promise.all([1, 2, 3].map(errors))).to.deep.equal([
      '1: line 1\nend 1',
      '2: line 1\n2: line 2\nend 2',
      '3: line 1\n3: line 2\n3: line 3\nend 3'
    ])
    const output = (execution: number) => contentOf(log, `execution=${execution}`)
    expect(await Promise.all([1, 2, 3].map(output))).to.deep.equal(['', 'said', ''])
  })

  it('parts of it are counted from its first line; firstLine is of the whole log', async () => {
    const log = logOf('thrice', await ended('thrice'))
    const { json } = await log('stream=stderr&execution=2&tail=2')
    const { times: _times, ...chunk } = json as Chunk & { times: unknown }
    expect(chunk).to.deep.equal({
      content: '2: line 2\nend 2',
      lineCount: 2,
      totalLines: 3,
      hasMore: true,
      isEstimate: false,
      firstLine: 3
    })
    expect(await contentOf(log, 'stream=stderr&execution=3&offset=2&limit=2')).to.equal('3: line 2\n3: line 3')
    expect(await contentOf(log, 'stream=stderr&execution=3&head=1')).to.equal('3: line 1')
    expect((await log('stream=stderr&execution=1&offset=9')).json.lineCount).to.equal(0)
  })

  it('an execution that is not on record is refused, and so is one with since', async () => {
    const log = logOf('thrice', await ended('thrice'))
    expect((await log('execution=4')).status).to.equal(404)
    expect((await log('execution=1&since=1')).status).to.equal(400)
    const only = logOf('once', await ended('once'))
    expect(await contentOf(only, 'stream=stderr&execution=1')).to.equal('only')
    expect((await only('execution=2')).status).to.equal(404)
  })

  it('an earlier attempt of the run has its own log', async () => {
    const dagRunId = await ended('thrice')
    await api.call('POST', `/dag-runs/thrice/${dagRunId}/retry`, { body: {} })
    await api.ended('thrice', dagRunId)
    const log = logOf('thrice', dagRunId)
    expect(await contentOf(log, 'stream=stderr&tail=1')).to.equal('end 6')
    expect(await contentOf(log, 'stream=stderr&tail=1&attempt=2')).to.equal('end 6')
    expect(await contentOf(log, 'stream=stderr&tail=1&attempt=1')).to.equal('end 3')
    expect(await contentOf(log, 'stream=stderr&tail=1&attempt=1&execution=2')).to.equal('end 2')
    expect(await contentOf(log, 'stream=stderr&head=1&execution=1')).to.equal('4: line 1')
    expect((await log('attempt=3')).status).to.equal(404)
  })

  it('a function makes its log at its first line: those before it have written nothing', async () => {
    const log = logOf('function', await ended('function'))
    const said = async (n: number) => (await contentOf(log, `stream=stderr&execution=${n}`)).replace(/^\S+ /, '')
    expect(await Promise.all([1, 2, 3].map(said))).to.deep.equal(['', 'error number 2', 'error number 3'])
    expect((await log('stream=stderr&execution=4')).status).to.equal(404)
  })

  it('a log of both streams is told apart, too, and passes count as executions', async () => {
    const log = logOf('twofold', await ended('twofold'))
    expect((await contentOf(log, 'execution=1')).split('\n').sort()).to.deep.equal(['err', 'out'])
    expect((await contentOf(log, 'execution=2')).split('\n').sort()).to.deep.equal(['err', 'out'])
    const passes = logOf('repeats', await ended('repeats'))
    expect([await contentOf(passes, ''), await contentOf(passes, 'execution=3')]).to.deep.equal([
      'pass\npass\npass',
      'pass'
    ])
  })
})
