/** Charts, actors, journal, explanations and sequences on the command line. Source: docs/inspect.md. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { called } from '../../support/cli/called.ts'
import { program, runningServer } from '../../support/cli/program.ts'
import { flow } from '../../support/engine/watched-flow.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { eventually } from '../../support/waiting.ts'

describe('facts on the command line', () => {
  it('the same with a server and without one', async () => {
    const folder = temporaryFolder()
    mkdirSync(join(folder, 'dags'))
    writeFileSync(join(folder, 'dags', 'flow.yaml'), flow)
    const done = (...argv: string[]) => called(folder, { ENGINE_HOME: folder, ENGINE_TZ: 'UTC' }, ...argv)
    const server = await runningServer({}, { folder })
    await done('start', 'flow', '-r', 'r1')
    type Said = Awaited<ReturnType<typeof done>>
    const all = async (...commands: string[]): Promise<Record<string, Said>> =>
      Object.fromEntries(
        await Promise.all(commands.map(async (words) => [words, await done(...words.split(' '))] as const))
      )
    const diagram = 'inspect flow -r r1 --format mermaid'
    const both = [
      diagram,
      'explain flow',
      'inspect flow --json',
      'events flow --json --after 3',
      'sequence flow --json'
    ]
    const served = await all(...both, 'explain flow --json', 'inspect flow', 'events flow', 'at flow --event 4')
    await server.end()
    const read = await all(
      ...both,
      'at flow --event 4 --json',
      'sequence flow',
      'explain flow --definition',
      'inspect flow --format json'
    )
    for (const words of both) expect(read[words], words).to.deep.equal(served[words])
    for (const [words, { code, err }] of Object.entries({ ...served, ...read }))
      expect([code, err], words).to.deep.equal([0, ''])
    expect(served['explain flow']?.out).to.match(/^flow +steps_failed +2 steps failed: a, c$/m)
    expect(served['explain flow']?.out).to.match(/^d +upstream_failed +d was not run because c failed$/m)
    expect(JSON.parse(served['explain flow --json']?.out ?? '').subject).to.include({ statusLabel: 'failed' })
    expect(served['inspect flow']?.out).to.match(/^ {2}a +failed +since/m)
    expect(read['inspect flow --format json']?.out).to.equal(served['inspect flow --json']?.out)
    expect(served[diagram]?.out).to.match(/^stateDiagram-v2\n(?:.*\n)+ {2}class \w*failed active\n$/)
    expect(served['at flow --event 4']?.out).to.contain('event 4 of')
    expect(JSON.parse(read['at flow --event 4 --json']?.out ?? '')).to.include({ at: 4 })
    expect(served['events flow']?.out).to.match(/^ +2 \d\d:\d\d:\d\d run {2}preparing {2}xstate.init/m)
    const lines = (served['events flow --json --after 3']?.out ?? '').trim().split('\n')
    expect(JSON.parse(lines[0] ?? '')).to.include({ seq: 4 })
    expect(read['sequence flow']?.out).to.match(/^sequenceDiagram\n/)
    expect(read['explain flow --definition']?.out).to.match(/^flow +no_schedule/m)
  })

  it('explain --values has what a step had, those first that differ from its last success', async () => {
    const folder = temporaryFolder()
    mkdirSync(join(folder, 'dags'))
    writeFileSync(
      join(folder, 'dags', 'prices.yaml'),
      'params: PRICES=old\nenv: [UNUSED: x]\nsteps: [{name: load, command: test "$PRICES" = old}]\n'
    )
    const done = (...argv: string[]) => called(folder, { ENGINE_HOME: folder, ENGINE_TZ: 'UTC' }, ...argv)
    await done('start', 'prices', '-r', 'good')
    await done('start', 'prices', '-r', 'bad', '--', 'PRICES=new')
    const { code, out } = await done('explain', 'prices:bad', '--step', 'load', '--values')
    const [, ...lines] = out.trimEnd().split('\n').slice(1)
    expect([code, ...lines.filter((line) => !line.startsWith('  and '))]).to.deep.equal([
      0,
      'values of load, beside its last success in prices:good',
      '≠ PRICES  new  param, was old',
      '≠ command: test "new" = old',
      '  was test "old" = old'
    ])
    const { values } = JSON.parse((await done('explain', 'prices:bad', '--step', 'load', '--values', '--json')).out)
    expect(values.values[0]).to.include({ name: 'PRICES', value: 'new', before: 'old' })
    const alone = await done('explain', 'prices', '--values')
    expect([alone.code, alone.err]).to.deep.equal([1, 'Error: explain: wanted --step STEP beside --values\n'])
  })

  it('events --follow goes on until the run has ended', async () => {
    const folder = temporaryFolder()
    writeFileSync(
      join(folder, 'slow.yaml'),
      `steps: [{name: a, command: 'while [ ! -e ${folder}/go ]; do sleep 0.02; done'}]\n`
    )
    const troupe = (...argv: string[]) => program(folder, { ENGINE_HOME: folder, ENGINE_TZ: 'UTC' }, ...argv)
    const server = await runningServer({}, { folder })
    const run = troupe('start', 'slow', '-r', 'r1')
    const events = await eventually('the first events', async () => {
      const { code, written } = troupe('events', 'slow', '--json')
      return (await code) === 0 && written.out.includes('node/a') ? written : undefined
    })
    const follower = troupe('events', 'slow', '--follow', '--json')
    await eventually('what is stored', () => (follower.written.out.includes('node/a') ? true : undefined))
    writeFileSync(join(folder, 'go'), '')
    expect([await run.code, await follower.code]).to.deep.equal([0, 0])
    const followed = follower.written.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(followed.at(-1)).to.include({ actor: 'run/slow/r1', to: 'succeeded' })
    expect(followed.map(({ seq }) => seq)).to.deep.equal(followed.map((_, index) => index + 1))
    expect(follower.written.out.startsWith(events.out)).to.equal(true)
    await server.end()
  })

  it('events --follow ends when its reader is gone, as with `| grep -m 1`; the run continues', async () => {
    const folder = temporaryFolder()
    const waits = (file: string) => `'while [ ! -e ${folder}/${file} ]; do sleep 0.02; done'`
    writeFileSync(join(folder, 'slow.yaml'), `steps: [${waits('first')}, ${waits('second')}]\n`)
    const troupe = (...argv: string[]) => program(folder, { ENGINE_HOME: folder }, ...argv)
    const server = await runningServer({}, { folder })
    const run = troupe('start', 'slow', '-r', 'r1')
    await eventually('the run', () => (run.written.err.includes('cmd_1') ? true : undefined))
    const follower = troupe('events', 'slow', '--follow')
    await eventually('what is stored', () => (follower.written.out.includes('cmd_1') ? true : undefined))
    follower.child.stdout?.destroy()
    writeFileSync(join(folder, 'first'), '')
    expect([await follower.code, follower.written.err]).to.deep.equal([0, ''])
    expect(run.child.exitCode, 'the run has not ended').to.equal(null)
    writeFileSync(join(folder, 'second'), '')
    expect(await run.code).to.equal(0)
    await server.end()
  })

  it('charts need no engine; what is not there is refused in a sentence', async () => {
    const folder = temporaryFolder()
    const done = (...argv: string[]) => called(folder, { ENGINE_HOME: folder }, ...argv)
    expect((await done('inspect')).out).to.match(/^node +One step of one run/m)
    expect((await done('inspect', '--machine', 'queue')).out).to.match(/^ {2}serving: Slots are given to requests/m)
    expect((await done('inspect', '--machine', 'queue', '--format', 'mermaid')).out).to.match(/^stateDiagram-v2\n/)
    expect(JSON.parse((await done('inspect', '--machine', 'queue', '--json')).out)).to.include({ id: 'queue' })
    expect(
      JSON.parse((await done('inspect', '--machine', 'queue', '--format', 'stately')).out).states
    ).to.have.property('drained')
    expect(await done('inspect', '--machine', 'quue')).to.deep.equal({
      code: 1,
      out: '',
      err: 'Error: --machine: wanted engine, scheduler, restart, queue, run, node, call, worker, delivery, found "quue"; did you mean queue?\n'
    })
    expect((await done('at', 'flow', '--event', 'x')).code).to.equal(1)
    const both = 'explain: wanted --definition or'
    for (const [argv, err] of [
      [['explain', 'flow', '--definition', '--step', 'a'], `${both} --step, found both`],
      [['explain', 'flow', '--definition', '-r', 'r1'], `${both} --run-id, found both`]
    ] as const)
      expect(await done(...argv)).to.deep.equal({ code: 1, out: '', err: `Error: ${err}\n` })
  })

  it('where nothing of the name has run, that is said, and no flag about runs is passed over', async () => {
    const folder = temporaryFolder()
    mkdirSync(join(folder, 'dags'))
    writeFileSync(join(folder, 'dags', 'never.yaml'), flow)
    writeFileSync(join(folder, 'dags', 'other.yaml'), 'steps: ["true"]')
    const done = async (words: string) => {
      const { code, err } = await called(folder, { ENGINE_HOME: folder }, ...words.split(' '))
      return { code, err }
    }
    expect((await done('start other')).code).to.equal(0)
    for (const words of [
      'explain never --step a',
      'inspect never',
      'events never',
      'at never --event 1',
      'sequence never'
    ])
      expect((await done(words)).err, words).to.match(/^Error: never has no runs in the home \S+/)
    expect(await done('explain never')).to.deep.equal({ code: 0, err: '' })
    expect((await done('explain nobody')).err).to.equal('Error: there is no definition named nobody\n')
    writeFileSync(join(folder, 'dags', 'v1.2.yaml'), flow)
    for (const words of ['explain v1.2', 'explain v1.2 --definition', 'explain v1.2.yaml --definition'])
      expect(await done(words), `a dot in a name is no extension: ${words}`).to.deep.equal({ code: 0, err: '' })
    expect((await done('explain other --step b')).err).to.match(/has no step or handler named "b"/)
  })
})
