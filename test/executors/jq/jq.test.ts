/** The jq executor: jq 1.8.2 in a thread; results beside those of the system's jq. Source: execution-semantics 10.7. */
import { spawnSync } from 'node:child_process'
import { expect } from 'chai'
import { version } from 'jq-wasm'
import { systemClock } from '../../../src/clock.ts'
import { jq } from '../../../src/executors/jq/jq.ts'
import { benchFor } from '../../support/executors/executions.ts'

describe('jq executor', () => {
  const limits = { ms: 20_000, memoryBytes: 1_024 * 1_048_576 }
  let given = limits
  const bench = benchFor((work) => jq(work, systemClock, given))
  beforeEach(() => {
    given = limits
  })
  const run = (filter: string, input: string, config = {}) => bench.run({ command: filter, script: input, config })

  it('is the version that is pinned', async () => {
    expect(await version()).to.equal('jq-1.8.2')
  })
  it('10.7.1: command is the filter as a whole, script the input, any JSON value', async () => {
    expect((await run('.a | .[1:]', '{"a":[1,2,3]}')).out).to.equal('[\n    2,\n    3\n]\n')
    expect((await run('. + 1', '41')).out).to.equal('42\n')
    expect((await run('-1', '0')).out).to.equal('-1\n')
  })
  it('10.7.2: each result on its own lines, 4-space JSON; large integers keep their digits', async () => {
    const { out } = await run('., .s', '{"n":12345678901234567890123,"s":"x\\ny"}')
    expect(out).to.equal('{\n    "n": 12345678901234567890123,\n    "s": "x\\ny"\n}\n"x\\ny"\n')
  })
  it('10.7.2: raw: strings raw, others compact', async () => {
    const { out } = await run('.[]', '["a\\nb\\n", "", {"k": [1, 2]}, "", ""]', { raw: 'true' })
    expect(out).to.equal('a\nb\n\n\n{"k":[1,2]}\n\n\n')
  })
  it('a filter without results writes nothing', async () => {
    expect(await run('empty', '1')).to.include({ exitCode: 0, out: '', err: '' })
  })
  it('10.7.1: invalid JSON or an invalid filter fails the step, with the position', async () => {
    const input = await run('.', '{"a":\n ]}')
    expect(input.exitCode).not.to.equal(0)
    expect(input.err).to.match(/^jq: .*line 2, column 2/)
    const filter = await run('.a |\n  | .b', '{}')
    expect(filter.exitCode).to.equal(3)
    expect(filter.err).to.match(/line 2, column 3/)
  })
  it('an empty filter or input is refused by name', async () => {
    expect((await run(' ', '1')).err).to.equal('jq executor requires a filter in "command", found none\n')
    expect((await run('.', '\n')).err).to.equal('jq executor requires JSON in "script", found none\n')
  })
  it('10.7.3: an error while filtering is exit code 5; results so far stay in stdout', async () => {
    const { exitCode, out, err } = await run('.[] | 1 / .', '[1, 2, 0, 4]')
    expect([exitCode, out]).to.deep.equal([5, '1\n0.5\n'])
    expect(err).to.include('cannot be divided because the divisor is zero')
  })
  it('10.7.4: `env` is an empty object, and shifts no position of a message', async () => {
    expect((await run('env, $ENV, env.PATH', 'null', { raw: true })).out).to.equal('{}\n{}\nnull\n')
    expect((await run('env |\n  nosuch', 'null')).err).to.match(
      /nosuch\/0 is not defined at <top-level>, line 2, column 3/
    )
  })
  it('a filter that never ends is ended at its limit', async () => {
    given = { ...limits, ms: 300 }
    expect(await run('last(repeat(1))', '1')).to.include({ exitCode: 1, err: 'jq: not done within 0.3s\n' })
  })
  it('7.3.10: a stop ends a filter that never does', async () => {
    const { running, outcome } = bench.start({ command: 'last(repeat(1))', script: '1' })
    await running.began
    running.stop('SIGTERM')
    expect(await outcome).to.include({ exitCode: -1, signal: 'terminated' })
  })
  it('a filter that wants more memory than there may be fails, and the engine lives on', async () => {
    given = { ...limits, memoryBytes: 128 * 1_048_576 }
    expect(await run('[range(1e9)] | length', '1')).to.include({
      exitCode: 1,
      err: 'jq: needs more than 128 MiB of memory\n'
    })
    expect((await run('.', '1')).out).to.equal('1\n')
  })
  it('an input of more than 32 MB is refused', async () => {
    expect((await run('length', `"${'x'.repeat(32 * 1_048_576)}"`)).err).to.include('the limit is 33554432')
  })
  it('more steps than threads: each gets a slot', async () => {
    const all = await Promise.all(Array.from({ length: 8 }, (_, index) => run('. * 2', String(index))))
    expect(all.map(({ out }) => out.trim())).to.deep.equal(['0', '2', '4', '6', '8', '10', '12', '14'])
  })

  describe('10.7.4: the same results as the jq of this system', () => {
    const system = spawnSync('jq', ['--version']).status === 0
    const input = JSON.stringify({
      items: [
        { name: 'b', n: 2, tags: ['x', 'y'] },
        { name: 'a', n: 1, tags: [] },
        { name: 'c', n: 2, tags: ['y'] }
      ],
      text: 'one two, three & <four>',
      none: null,
      deep: { a: { b: [true, false, 1.5, 'q"uote'] } }
    })
    for (const filter of [
      '.items[0].name, .items[-1].n, .items[1:], .["text"], .none // "default"',
      '.items | map(select(.n > 1) | .name), length',
      '.items | sort_by(.name) | map(.name), (group_by(.n) | map(length))',
      '[.items[].tags[]] | unique, add, (map(length) | add), any, all',
      'reduce .items[] as $i (0; . + $i.n)',
      'if .items[0].n == 2 then "two" elif true then "other" else empty end',
      'try error("x") catch ., (try (.items | .a) catch "no")',
      '.text | split(" "), test("t[hw]"), (match("(?<w>t\\\\w+)").captures[0].name), capture("(?<first>\\\\w+)"), ascii_upcase',
      '.deep | to_entries, with_entries(.key |= ascii_upcase), keys, values, has("a")',
      'first(.items[]), last(.items[].n), [range(0; 10; 3)], [.deep | recurse | numbers], del(.items), [paths] | length',
      '.deep.a.b | @csv, @tsv, @json, @text, (.[3] | @base64, @uri)',
      '[.items[] | {name, sum: (.n + (.tags | length))}] | from_entries? // tostring',
      '"1.5" | tonumber, tostring, ([1, "a"] | join("-"))'
    ])
      it(filter, async function () {
        if (!system) return this.skip()
        const theirs = spawnSync('jq', ['--indent', '4', filter], { input, encoding: 'utf8' })
        const ours = await run(filter, input)
        expect({ out: ours.out, failed: ours.exitCode !== 0 }).to.deep.equal({
          out: theirs.stdout,
          failed: theirs.status !== 0
        })
      })
  })
})
