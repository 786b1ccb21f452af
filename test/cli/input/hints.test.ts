/** What may have been meant by a word that is none, and where else to look. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect } from 'chai'
import { serveLocal } from '../../../src/api/owner/local.ts'
import { otherServers } from '../../../src/cli/owner/other-servers.ts'
import { systemClock } from '../../../src/clock.ts'
import { readDefinition } from '../../../src/definition/read.ts'
import { didYouMean } from '../../../src/nearest.ts'
import { BY_USER, refusal, scene } from '../../support/cli/cli-scene.ts'
import { fakeCliEngine, stage } from '../../support/cli/fake-cli-engine.ts'
import { temporaryFolder } from '../../support/homes.ts'

describe('command line › did you mean', () => {
  it('a word of one or two letters is near to too many', () => {
    expect(didYouMean('dokcer', ['docker', 'shell'])).to.equal('; did you mean docker?')
    expect(didYouMean('b', ['a'])).to.equal('')
    expect(didYouMean('frobnicate', ['docker'])).to.equal('')
  })

  it('an executor type, also one by its other name; a step that is depended on; a field', () => {
    const problems = (text: string) => readDefinition(text, { name: 'flow' }).problems.map(({ message }) => message)
    const step = (more: string) => `steps:\n  - name: fetch\n    command: x\n    ${more}\n`
    expect(problems(step('executor: dokcer'))).to.deep.equal([
      'field \'executor\': executor type "dokcer" is not registered (did you mean docker?)'
    ])
    expect(problems(step('executor: { type: htpp }'))[0]).to.contain('"htpp" is not registered (did you mean http?)')
    expect(problems(`${step('')}  - name: load\n    command: x\n    depends: fecth\n`)[0]).to.contain(
      'non-existent step fecth (did you mean fetch?)'
    )
    expect(problems(step('comand: x'))[0]).to.contain('did you mean command')
  })

  it('of 10,000 unknown names only the first get a suggestion', () => {
    const steps = Array.from(
      { length: 5_000 },
      (_, index) => `  - {name: step-number-${index}, command: x, depends: stop-number-${index}}\n`
    )
    const { problems } = readDefinition(`type: graph\nsteps:\n${steps.join('')}`)
    expect(problems.filter(({ message }) => message.includes('did you mean'))).to.have.length(3)
  })

  it('a definition, a DAG with runs, a queue, a chart, a step', async () => {
    const { home, engine, here } = scene()
    expect(await refusal('start', here, 'oter')).to.match(/found no oter\.yaml or oter\.yml .*; did you mean other\?$/)
    expect(await refusal('validate', here, 'othr.yaml')).to.match(/; did you mean other\.yaml\?$/)
    engine.addRun({ name: 'nightly', dagRunId: 'n1', status: 'queued', queue: 'batches', createdAt: 1 })
    expect(await refusal('dequeue', stage(home, engine), 'bathces')).to.equal(
      'no run waits in the queue bathces; did you mean batches?'
    )
    expect(await refusal('inspect', stage(home, engine), '--machine', 'quue')).to.match(/; did you mean queue\?$/)
  })
})

describe('command line › has no runs', () => {
  it('names the home, and servers of other homes that are up', async () => {
    const { home, engine, here } = scene()
    const others = (...homes: string[]) => ({
      ...stage(home, engine),
      otherServers: async () => homes.map((home) => ({ home }))
    })
    expect(await refusal('status', here, 'etl')).to.equal(`etl has no runs in the home ${home}`)
    expect(await refusal('status', others('/a/b'), 'etl')).to.equal(
      `etl has no runs in the home ${home}; a server of another home is up: --home /a/b`
    )
    expect(await refusal('retry', others('/a/b', '/c'), 'etl', '-r', 'latest')).to.equal(
      `etl has no runs in the home ${home}; servers of other homes are up: --home /a/b, --home /c`
    )
    expect(await refusal('stop', stage(home, engine), 'etl', '-r', 'latest')).to.contain('etl has no runs in the home')
    for (const [name, ...words] of [
      ['restart', 'etl', '-r', 'latest'],
      ['start', 'etl', '--from-run-id', 'latest'],
      ['dequeue', '-d', 'etl:latest']
    ] as const)
      expect(await refusal(name, stage(home, engine), ...words), name).to.contain('etl has no runs in the home')
  })

  it('a server is found in the socket table of the kernel; a socket of another user or without an engine is ignored', async () => {
    const socketOf = (home: string) => {
      mkdirSync(join(home, 'data'), { recursive: true })
      return join(home, 'data', 'troupe.sock')
    }
    const [home, odd, gone] = [temporaryFolder(), temporaryFolder(), temporaryFolder()]
    const path = socketOf(home)
    const server = await serveLocal({ ...fakeCliEngine(home), home }, path)
    const other = createServer((socket) => socket.end('what?\r\n\r\n'))
    await new Promise<void>((resolve) => void other.listen(socketOf(odd), resolve))
    const line = (path: string, flags = '00010000') => `ffff8880: 00000002 00000000 ${flags} 0001 01 123456 ${path}\n`
    const listening = `Num RefCount Protocol Flags Type St Inode Path\n${[path, path, socketOf(odd), socketOf(gone)]
      .map((path) => line(path))
      .join('')}${line('/dev/null')}${line('@troupe.sock')}`
    try {
      const found = (ours: string, text = listening) => otherServers(ours, systemClock, text)
      expect(await found(gone)).to.deep.equal([{ home }])
      expect(await found(home), 'the home that is meant').to.deep.equal([])
      expect(await found(gone, line(path, '00000000')), 'a connection').to.deep.equal([])
      expect(
        (await otherServers(gone, systemClock)).map(({ home }) => home),
        'as the kernel has it'
      ).to.include(home)
    } finally {
      await server.close()
      other.close()
    }
  })
})

describe('troupe retry, stop, restart, dequeue, start › latest', () => {
  it('is the newest run, as in the API', async () => {
    const { home, engine } = scene()
    const here = () => stage(home, engine)
    engine.addRun({ name: 'etl', dagRunId: 'old', status: 'failed', createdAt: 1, finishedAt: 2 })
    engine.addRun({ name: 'etl', dagRunId: 'new', status: 'failed', createdAt: 3, finishedAt: 4 })
    engine.acts.set('etl', (key) => engine.end(key, 'succeeded'))
    await refusal('retry', here(), 'etl', '-r', 'latest')
    expect(engine.asked.retry).to.deep.equal([[{ name: 'etl', dagRunId: 'new' }, BY_USER]])
    await refusal('start', here(), 'etl', '--from-run-id', 'latest')
    expect(engine.started.at(-1)?.fromRun).to.deep.equal({ name: 'etl', dagRunId: 'new' })
    writeFileSync(join(home, 'other.yaml'), 'name: other\nsteps: [echo]\n')
    engine.addRun({ name: 'other', dagRunId: 'q1', status: 'queued', createdAt: 5 })
    expect(await refusal('dequeue', here(), '-d', 'other:latest')).to.equal('exit 0')
  })
})
