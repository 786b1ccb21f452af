/** A host application that is killed in a function. Source: docs/executors/function.md "Durability", "Where the function is missing". */
import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { program } from '../../support/cli/program.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { PROJECT } from '../../support/project.ts'
import { eventually } from '../../support/waiting.ts'

const HOST = join(PROJECT, 'dist/test/support/engine/function-host.js')
const SPEC = `
steps:
  - {name: charge, executor: {type: function, config: {name: shop/charge}}, retryPolicy: {limit: 1, intervalSec: 0}}
  - {name: ship, executor: {type: function, config: {name: shop/ship}}}
`

describe('a host that is killed in a function', () => {
  let home: string
  let folder: string
  let host: ChildProcess | undefined
  beforeEach(() => {
    home = temporaryFolder()
    folder = temporaryFolder()
  })
  afterEach(() => host?.kill('SIGKILL'))
  function opened(...spec: string[]) {
    const child = spawn(process.execPath, [HOST, home, folder, ...spec], { stdio: ['ignore', 'pipe', 'inherit'] })
    host = child
    let out = ''
    child.stdout.on('data', (chunk) => {
      out += chunk
    })
    return { child, said: (text: string) => eventually(text, () => out.includes(text) || undefined) }
  }
  const calls = () => {
    try {
      return readFileSync(join(folder, 'calls'), 'utf8')
        .trim()
        .split('\n')
        .map((line) => line.split(' '))
    } catch {
      return []
    }
  }
  const called = (count: number) => eventually(`${count} calls`, () => calls().length === count || undefined)
  const killed = (child: ChildProcess) =>
    new Promise((resolve) => {
      child.once('exit', resolve)
      child.kill('SIGKILL')
    })
  const go = (step: string) => writeFileSync(join(folder, `go-${step}`), '')

  it('calls it again, with the same key and without counting a retry; what has succeeded is not called again', async () => {
    const first = opened(SPEC)
    await called(1)
    await killed(first.child)
    const second = opened()
    await called(2)
    go('charge')
    await called(3)
    await killed(second.child)
    const third = opened()
    await called(4)
    go('ship')
    await third.said('shop succeeded')
    expect(calls().map(([step, attempt]) => [step, attempt])).to.deep.equal([
      ['charge', '1'],
      ['charge', '2'],
      ['ship', '1'],
      ['ship', '2']
    ])
    const keys = calls().map(([, , key]) => key)
    expect([keys[0] === keys[1], keys[2] === keys[3], keys[0] === keys[2]]).to.deep.equal([true, true, false])
  })

  it('a program that starts another run on its home parks the run, and the host goes on with it (H1)', async () => {
    const first = opened(SPEC)
    await called(1)
    await killed(first.child)
    const other = join(folder, 'other.yaml')
    writeFileSync(other, 'name: other\nsteps: [echo hello]\n')
    const stranger = program(folder, {}, 'start', other, '--home', home)
    expect(await stranger.code).to.equal(0)
    const explained = program(folder, {}, 'explain', 'shop', '--run-id', 'latest', '--home', home)
    await explained.code
    expect(explained.written.out).to.contain('charge needs the function "shop/charge"')
    const doctor = program(folder, {}, 'doctor', '--home', home)
    await doctor.code
    expect(doctor.written.out).to.contain('waits for a program that has the function "shop/charge"')
    go('charge')
    go('ship')
    await opened().said('shop succeeded')
    expect(calls().map(([step]) => step)).to.deep.equal(['charge', 'charge', 'ship'])
  })
})
