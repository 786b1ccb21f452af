/** A host application that is killed in a loop. Source: docs/embedding/flow.md "Until it is done". */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { temporaryFolder } from '../../support/homes.ts'
import { PROJECT } from '../../support/project.ts'
import { eventually } from '../../support/waiting.ts'

const HOST = join(PROJECT, 'dist/test/support/hosts/loop-host.js')

describe('a host that is killed in a loop', () => {
  const home = temporaryFolder()
  const folder = temporaryFolder()
  let host: ChildProcess | undefined
  afterEach(() => host?.kill('SIGKILL'))
  const calls = () =>
    existsSync(join(folder, 'calls')) ? readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n') : []
  const go = (pass: number) => writeFileSync(join(folder, `go-${pass}`), '')
  const opened = () => {
    const child = spawn(process.execPath, [HOST, home, folder], { stdio: ['ignore', 'pipe', 'inherit'] })
    host = child
    return child
  }
  async function killedAt(line: string, times: number): Promise<void> {
    const child = opened()
    await eventually(line, () => calls().filter((one) => one === line).length === times || undefined)
    child.kill('SIGKILL')
    await once(child, 'exit')
  }

  it('passes that have ended are not called again, each gets the result of the last, and a question without a stored answer is asked again', async () => {
    await killedAt('asked 1', 1)
    go(1)
    await killedAt('asked 2', 1)
    go(2)
    go(3)
    const child = opened()
    let out = ''
    child.stdout.on('data', (chunk) => {
      out += chunk
    })
    await once(child, 'close')
    expect(out).to.equal('{"sum":6}\n')
    expect(calls()).to.deep.equal([
      'pass 1 after 0, key loop/r/count/0',
      'asked 1',
      'asked 1',
      'pass 2 after 1, key loop/r/count/1',
      'asked 2',
      'asked 2',
      'pass 3 after 3, key loop/r/count/2',
      'asked 3'
    ])
  })
})
