/** The command of a session, run by the installed shells. Source: execution-semantics 10.3.5-10.3.7. */
import { spawnSync } from 'node:child_process'
import { expect } from 'chai'
import { remoteLine, type Spoken } from '../../../src/executors/ssh/remote-line.ts'

const lineOf = (given: Partial<Spoken>) => remoteLine({ args: [], shells: { fallback: 'sh' }, ...given }, 'mark')
/** The part after the shell's own first lines. */
const textOf = (given: Partial<Spoken>): string => lineOf(given).line.split('\n').slice(1).join('\n')
const shells = ['sh', 'bash', 'dash'].filter((shell) => spawnSync(shell, ['-c', ':']).status === 0)

describe('ssh › the remote command', () => {
  it('10.3.5: the command text is sent as written', () => {
    expect(textOf({ command: 'echo "a b; rm x" | cat' })).to.equal('echo "a b; rm x" | cat')
  })
  it('10.3.5: list form: each word single-quoted; args too', () => {
    expect(textOf({ argv: ['echo', "it's", '$X `y`'] })).to.equal("'echo' 'it'\\''s' '$X `y`'")
    expect(textOf({ command: 'ls -l', args: ['a b'] })).to.equal("ls -l 'a b'")
  })
  it('10.3.6: a script is fed on stdin to `sh -e -s`', () => {
    expect(lineOf({ script: 'echo a' })).to.include({ stdin: 'echo a\n' })
    expect(textOf({ script: 'x', args: ['a b'] })).to.equal("exec sh -e -s -- 'a b'")
  })
  it('10.3.6: shell of the step, without the flag for a command text', () => {
    const step = (words: string[]) =>
      textOf({ script: '#!/bin/none\nx', shells: { step: words, dag: ['no'], fallback: 'no' } })
    expect(step(['bash'])).to.equal("exec 'bash' -s --")
    expect(step(['bash', '-e', '-c'])).to.equal("exec 'bash' '-e' -s --")
    expect(step(['python3'])).to.equal("exec 'python3' -")
    expect(textOf({ script: 'x', shells: { dag: ['bash'], fallback: 'zsh' } })).to.equal('exec sh -e -s --')
  })
  it('10.3.6: a shebang interpreter is used as `<interp> -`', () => {
    expect(textOf({ script: '#!/usr/bin/env python3\nprint(1)' })).to.equal("exec '/usr/bin/env' 'python3' -")
  })
  it('a script beside a command is what the command reads', () => {
    expect(lineOf({ command: 'wc -l', script: 'a\nb\n' })).to.deep.include({ stdin: 'a\nb\n' })
    expect(textOf({ command: 'wc -l', script: 'a' })).to.equal('wc -l')
  })
  it('values of variables are in stdin, not on the command line', () => {
    const { line, stdin } = lineOf({ command: 'x', remoteEnv: { TOKEN: 'hush' } })
    expect(line).to.not.include('hush').and.not.include('TOKEN')
    expect(stdin).to.equal("export TOKEN='hush'\n")
  })
  it('a name that no shell can have is refused by name, without its value', () => {
    expect(() => lineOf({ command: 'x', remoteEnv: { 'a.b': 'hush' } })).to.throw(/^env a\.b: (?!.*hush)/)
  })
  for (const shell of shells)
    it(`${shell}: values arrive unchanged, and the script after them`, () => {
      const values = { A: `it's "$HOME" \`x\` \\ \\n`, B: 'one\ntwo\n\nthree', C: ' blanks ', D: '', E: 'é\r\t' }
      const { line, stdin } = lineOf({
        script: 'printenv A B C D E; echo "$0 $# $1"',
        args: ['a b'],
        remoteEnv: values
      })
      const { stdout, stderr, status } = spawnSync(shell, ['-c', line], { input: stdin, encoding: 'utf8' })
      expect(stdout).to.equal(`${Object.values(values).join('\n')}\nsh 1 a b\n`)
      expect(stderr).to.match(/^mark \d+\n$/)
      expect(status).to.equal(0)
    })
  for (const shell of shells)
    it(`${shell}: 10.3.5 a command that is too long for a command line is run as written all the same`, () => {
      const long = `${'é'.repeat(150_000)} it's`
      const command = `printf '%s\\n' "${long}" |\n  wc -c; echo "$A $0"; cat; echo \${troupe_text-gone}`
      const { line, stdin } = lineOf({ command, script: 'read by it', remoteEnv: { A: 'one\ntwo' } })
      expect(line.length).to.be.below(1_000)
      const { stdout, stderr } = spawnSync(shell, ['-c', line], { input: stdin, encoding: 'utf8' })
      expect(stdout).to.equal(`${Buffer.byteLength(long) + 1}\none\ntwo ${shell}\nread by it\ngone\n`)
      expect(stderr).to.match(/^mark \d+\n$/)
    })
  it('it leaves nothing in the environment', () => {
    const { line, stdin } = lineOf({ command: 'set | grep -c troupe_', remoteEnv: { A: '1' } })
    expect(spawnSync('sh', ['-c', line], { input: stdin, encoding: 'utf8' }).stdout).to.equal('0\n')
  })
})
