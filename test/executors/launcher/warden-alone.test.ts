/** The warden without an engine, on a system that does what is rare at the worst moment. Source: architecture 4, reliability 3.1. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect } from 'chai'
import { readPrograms } from '../../../src/executors/launcher/programs.ts'
import { wardenJob, wardenNumbers } from '../../../src/executors/launcher/warden.ts'
import { readState } from '../../../src/executors/processes/state-file.ts'
import { ENVIRONMENT, sh } from '../../support/executors/launched.ts'
import { temporaryFolder } from '../../support/homes.ts'

describe('warden by itself', () => {
  const { warden: program } = readPrograms()
  const begun: ChildProcessWithoutNullStreams[] = []
  afterEach(() => {
    for (const warden of begun.splice(0)) warden.kill('SIGKILL')
  })

  /** @param from in its text; `to` makes the system what it rarely is */
  async function wardenWith(from: string, to: string) {
    const folder = temporaryFolder()
    expect(program.split(from)).to.have.length(2)
    writeFileSync(
      join(folder, 'warden'),
      program.replace(from, () => to)
    )
    const args = ['-f', './warden', 'w1', ...(wardenNumbers() ?? '').split(' ')]
    const warden = spawn('perl', args, { cwd: folder, env: ENVIRONMENT, detached: true })
    begun.push(warden)
    const said = createInterface(warden.stdout)
    const heard: string[] = []
    said.on('line', (line) => heard.push(line))
    const stateOf = (name: string) => join(folder, `${name}.state`)
    return {
      stateOf,
      begin(name: string, text: string) {
        const [stdout, stderr] = ['out', 'err'].map((end) => join(folder, `${name}.${end}`)) as [string, string]
        const env = { PATH: ENVIRONMENT.PATH }
        const job = { argv: sh(text), cwd: folder, env, stdout, stderr, state: stateOf(name), offset: 0 }
        const { files, line } = wardenJob(name, job, '022')
        for (const [file, content] of files) writeFileSync(join(folder, file), content)
        warden.stdin.write(`${line}\n`)
      },
      async says(line: string) {
        while (!heard.includes(line)) await once(said, 'line')
      }
    }
  }

  it('an end is heard of that comes right before it waits for the next thing to happen', async () => {
    // One operation of Perl that takes long; signals that have a handler come between two operations.
    const warden = await wardenWith(
      'my $readable = $watched',
      'my $readable = (unpack("%32b*", "a" x 3e7), $watched)[1]'
    )
    warden.begin('j1', 'sleep 0.01; exit 3')
    await warden.says('ended w1 j1 3 0')
    expect(readState(warden.stateOf('j1'))).to.have.nested.property('end.exitCode', 3)
  })

  it('where no more processes are allowed a step begins when another has ended', async () => {
    const warden = await wardenWith('= fork)', '= keys %held < 2 ? fork : undef)')
    const names = ['j1', 'j2', 'j3', 'j4', 'j5']
    for (const name of names) warden.begin(name, 'exit 4')
    for (const name of names) await warden.says(`ended w1 ${name} 4 0`)
  })
})
