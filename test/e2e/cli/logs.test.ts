/** What steps have printed, as `troupe logs` shows it: which run, step and stream. Source: docs/cli.md. */
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { CALLED, CALLS, homeWith, STEPS, sorted, TURNS, WHOLE } from '../../support/cli/printing-steps.ts'

describe('troupe logs', () => {
  it('without a server: the newest run, one by its id, one step, one stream, an earlier attempt, as JSON', async () => {
    const there = homeWith({ flow: STEPS })
    await there.done('start', 'flow', '-r', 'r1', '-q')
    writeFileSync(join(there.folder, 'ok'), '')
    await there.done('start', 'flow', '-r', 'r2', '-q')
    const second = await there.done('logs', 'flow')
    expect(second).to.include({ code: 0, err: '' })
    expect(second.out).to.match(/^greet \| hello\ngreet \| partial\nflaky \| try\nthrice/)
    for (const words of [['flow', '-r', 'latest'], ['flow.yaml'], ['r2'], ['flow', '--run-id=r2']])
      expect(await there.done('logs', ...words), words.join(' ')).to.deep.equal(second)
    const first = await there.done('logs', 'r1')
    expect(sorted(first.out)).to.deep.equal(WHOLE)
    expect((await there.done('logs', 'flow', 'greet')).out).to.equal('hello\npartial\n')
    expect((await there.done('logs', 'flow', 'onExit')).out).to.equal('over\n')
    expect((await there.done('logs', 'flow', '--stream', 'stderr')).out).to.equal('greet | partial\n')
    const [json = ''] = (await there.done('logs', 'flow', 'greet', '--json')).out.split('\n')
    const { at, ...said } = JSON.parse(json)
    expect(at).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
    const text = { name: 'flow', dagRunId: 'r2', step: 'greet', label: 'greet', stream: 'stdout', text: 'hello' }
    expect(said).to.deep.equal(text)
    await there.done('retry', 'flow', '-r', 'r1', '--step', 'flaky', '-q')
    expect((await there.done('logs', 'r1', 'flaky')).out).to.equal('try\n')
    expect((await there.done('logs', 'r1', 'flaky', '--attempt', '1')).out).to.equal('try\ntry\n')
    // What the retry has kept was written by the attempt before it.
    expect((await there.done('logs', 'r1', 'greet')).out).to.equal('hello\npartial\n')
  })

  it('of sub DAG runs: all, those of one call, one step of one of them', async () => {
    const there = homeWith({ calls: CALLS })
    await there.done('start', 'calls', '-q')
    expect(sorted((await there.done('logs', 'calls')).out)).to.deep.equal(CALLED)
    expect((await there.done('logs', 'calls', 'many#2/below/say')).out).to.equal('many#2/below/say | in b\n')
    expect(sorted((await there.done('logs', 'calls', 'many')).out)).to.deep.equal(CALLED.slice(0, 2))
  })

  it('several steps by time, whichever of them began first, with names in front; --since leaves out what is older', async () => {
    const there = homeWith({ flow: TURNS })
    await there.done('start', 'flow', '-r', 'r1', '-q')
    const { out } = await there.done('logs', 'flow')
    expect(out.split('\n').slice(0, -1)).to.deep.equal([
      'ping | ping 1',
      'ping | PING',
      'pong | pong 1',
      'ping | ping 2',
      'pong | pong 2',
      'other | other'
    ])
    const some = await there.done('logs', 'flow', 'pong', 'other', '--times')
    expect(
      some.out
        .split('\n')
        .slice(0, -1)
        .map((line) => line.replace(/^\d\d:\d\d:\d\d /, ''))
    ).to.deep.equal(['pong | pong 1', 'pong | pong 2', 'other | other'])
    expect((await there.done('logs', 'flow', '--stderr')).out).to.equal('ping | PING\n')
    const lines = (await there.done('logs', 'flow', '--json')).out.split('\n').slice(0, -1)
    const [first = '', , , fourth = ''] = lines.map((line) => JSON.parse(line).at as string)
    expect(Date.parse(fourth) - Date.parse(first)).to.be.within(2_000, 60_000)
    const late = await there.done('logs', 'flow', '--since', fourth)
    expect(late.out)
      .to.match(/^ping \| ping 2\n/)
      .and.not.to.contain('ping 1')
    expect(await there.done('logs', 'flow', '--since', '2099-01-01')).to.deep.equal({
      code: 0,
      out: '',
      err: 'its steps have written nothing since then: run r1 of flow is succeeded\n'
    })
  })

  it('errors name what is there', async () => {
    const there = homeWith({ flow: STEPS })
    await there.done('start', 'flow', '-r', 'r1', '-q')
    const refused = async (...words: string[]) => {
      const { code, out, err } = await there.done('logs', ...words)
      expect({ code, out }, words.join(' ')).to.deep.equal({ code: 1, out: '' })
      return err
    }
    expect(await refused('flwo')).to.match(/^Error: flwo has no runs in the home \S+; did you mean flow\?/)
    expect(await refused('flow', '-r', 'r9')).to.equal(
      'Error: there is no run r9 of flow; its newest is r1 (or say latest)\n'
    )
    expect(await refused('flow', 'gret')).to.equal(
      'Error: run r1 of flow has no step or handler "gret"; did you mean greet?\n'
    )
    expect(await refused('flow', 'zzz')).to.equal(
      'Error: run r1 of flow has no step or handler "zzz"; wanted one of greet, flaky, thrice, onExit\n'
    )
    expect((await there.done('logs', 'latest', 'greet')).out).to.equal('hello\npartial\n')
    rmSync(join(there.folder, 'logs', 'flow', 'r1', '1', 'greet.out'))
    rmSync(join(there.folder, 'logs', 'flow', 'r1', '1', 'greet.err'))
    expect(await there.done('logs', 'flow', 'greet')).to.deep.equal({
      code: 0,
      out: '',
      err: 'the logs of greet are gone\n'
    })
    expect((await there.done('logs', 'flow', 'thrice', '--stream', 'stderr')).err).to.equal(
      'thrice has written nothing: run r1 of flow is partially succeeded\n'
    )
    expect(await refused('flow', '--attempt', '2')).to.contain('--attempt: run r1 of flow has one attempt, found 2')
    expect(await refused('flow', '--stream', 'both')).to.contain('wanted stdout or stderr')
    expect(await refused('flow', 'greet', 'zzz')).to.contain('no step or handler "zzz"')
    expect(await refused('flow', '--stderr', '--stream', 'stdout')).to.contain('found both')
    expect(await refused('flow', '--since', 'soon')).to.contain('--since: wanted how long ago')
    expect(await refused()).to.contain('wanted a run, found none')
  })
})
