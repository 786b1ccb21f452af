/** The program when its output cannot be written, for example on a full disk. */
import { spawnSync } from 'node:child_process'
import { closeSync, openSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { PROGRAM } from '../support/cli/program.ts'
import { temporaryFolder } from '../support/homes.ts'

const folder = temporaryFolder()
const env = { PATH: process.env.PATH, HOME: folder, ENGINE_HOME: join(folder, 'home') }

/** @param out a file or device that takes what is printed */
function troupe(out: string, ...argv: string[]) {
  const file = openSync(out, 'w')
  try {
    const { status, stderr } = spawnSync(process.execPath, [PROGRAM, ...argv], {
      cwd: folder,
      env,
      stdio: ['ignore', file, 'pipe'],
      encoding: 'utf8'
    })
    return { status, stderr }
  } finally {
    closeSync(file)
  }
}

const FULL = '/dev/full'
const lost = (reason: string) => ({ status: 1, stderr: `Error: the output cannot be written: ${reason}\n` })
const noRoom = lost('ENOSPC: no space left on device, write')

describe('troupe › output that cannot be written', () => {
  before(() => {
    writeFileSync(join(folder, 'hello.yaml'), 'steps:\n  - echo hello | tee said\n  - echo more >> said\n')
  })

  it('a start goes on to the end of its run, then exits 1 with one line on stderr', () => {
    const { status, stderr } = troupe(FULL, 'start', 'hello', '-r', 'r1')
    expect({ status, stderr: stderr.slice(stderr.lastIndexOf('Error')) }).to.deep.equal(noRoom)
    expect(stderr).to.contain('✓ hello  succeeded')
    const shown = join(folder, 'shown')
    expect(troupe(shown, 'status', 'hello', '--json')).to.deep.equal({ status: 0, stderr: '' })
    expect(JSON.parse(readFileSync(shown, 'utf8'))).to.include({ dagRunId: 'r1', statusLabel: 'succeeded' })
    expect(readFileSync(join(folder, 'said'), 'utf8')).to.equal('hello\nmore\n')
  })

  it('so does every command', () => {
    const taken = join(folder, 'taken')
    for (const words of [
      'version',
      'help',
      'schema',
      'config',
      'doctor',
      'inspect',
      'queues',
      `backup ${taken}`,
      'validate hello',
      'dry hello',
      'status hello',
      'events hello',
      'explain hello',
      'start hello --json'
    ])
      expect(troupe(FULL, ...words.split(' ')), words).to.deep.equal(noRoom)
  }).timeout(60_000)

  it('a pipe whose reader takes its time gets everything, more than it holds at once', () => {
    const whole = join(folder, 'schema')
    expect(troupe(whole, 'schema').status).to.equal(0)
    const slow = '"$0" "$1" schema | (sleep 1; cat)'
    const { status, stdout } = spawnSync('sh', ['-c', slow, process.execPath, PROGRAM], {
      cwd: folder,
      env,
      encoding: 'utf8'
    })
    expect(status).to.equal(0)
    expect(stdout.length).to.be.greaterThan(65_536)
    expect(stdout).to.equal(readFileSync(whole, 'utf8'))
  })

  it('a file that took a part of it only is not whole', () => {
    const limited = 'ulimit -f 8; "$0" "$1" schema > part'
    const { status, stderr } = spawnSync('sh', ['-c', limited, process.execPath, PROGRAM], {
      cwd: folder,
      env,
      encoding: 'utf8'
    })
    expect({ status, stderr }).to.deep.equal(lost('EFBIG: file too large, write'))
    expect(statSync(join(folder, 'part')).size).to.be.within(1, 8 * 1024)
  })

  it('a reader that goes away ends the output only', () => {
    const command = '{ "$0" "$1" schema; echo "$?" >&2; } | head -c 1'
    const { stdout, stderr } = spawnSync('sh', ['-c', command, process.execPath, PROGRAM], {
      cwd: folder,
      env,
      encoding: 'utf8'
    })
    expect([stdout, stderr]).to.deep.equal(['{', '0\n'])
  })
})
