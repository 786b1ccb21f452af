import { execFileSync } from 'node:child_process'
import { expect } from 'chai'
import { invocation, isShellLike, SCRIPT, shellCommand, takesPackages } from '../../../src/definition/shell/shell.ts'

const plain = { fallback: 'sh' }
const argv = (...given: Parameters<typeof invocation>) => invocation(...given).argv
const runs = (...given: Parameters<typeof invocation>) => {
  const [program = '', ...args] = argv(...given)
  return execFileSync(program, args, { encoding: 'utf8' })
}

describe('shell › from definition to process (4.1)', () => {
  it('4.1.2 a one-line command is <shell> [shell args] -c "<text>"', () => {
    expect(argv({ command: 'a | b && c > d', args: [] }, { step: ['bash', '-x'], fallback: 'sh' })).to.deep.equal([
      'bash',
      '-x',
      '-c',
      'a | b && c > d'
    ])
  })
  it('4.1.5 command and script: no shell, program args... <script file>', () => {
    const step = { command: 'python3 -u "x y"', args: ["it's"], script: '\nprint(1)\n' }
    expect(invocation(step, { step: ['bash'], fallback: 'sh' })).to.deep.equal({
      argv: ['python3', '-u', 'x y', "it's", SCRIPT],
      script: 'print(1)'
    })
    expect(argv({ argv: ['perl', '-w'], args: [], script: '1' }, plain)).to.deep.equal(['perl', '-w', SCRIPT])
  })
  it('4.1.6 each of args is appended single-quoted, one word that the shell does not expand', () => {
    const step = { command: `printf '%s\\n'`, args: ['a b', '$HOME', '*', `it's`, '', '`id`'] }
    expect(argv(step, plain).at(-1)).to.equal(`printf '%s\\n' 'a b' '$HOME' '*' 'it'\\''s' '' '\`id\`'`)
    expect(runs(step, plain)).to.equal("a b\n$HOME\n*\nit's\n\n`id`\n")
  })
  it('a step without command and script: step command is required', () => {
    expect(() => invocation({ args: [] }, plain)).to.throw('step command is required')
  })
})

describe('shell › which shell (4.2)', () => {
  const command = { command: 'x', args: [] }
  it('4.2.1 the step names it before the DAG, the DAG before the default', () => {
    expect(argv(command, { step: ['zsh'], dag: ['bash'], fallback: 'ksh' })[0]).to.equal('zsh')
    expect(argv(command, { dag: ['bash'], fallback: 'ksh' })[0]).to.equal('bash')
    expect(argv(command, { step: [], fallback: 'ksh' })[0]).to.equal('ksh')
    expect(argv(command, { fallback: '' })[0]).to.equal('sh')
  })
  it('4.2.2 -e is added for sh bash zsh ksh ash dash when neither step nor DAG names a shell', () => {
    for (const shell of ['sh', 'bash', 'zsh', 'ksh', 'ash', 'dash', '/usr/bin/bash']) {
      expect(argv(command, { fallback: shell })).to.deep.equal([shell, '-e', '-c', 'x'])
      expect(isShellLike(shell)).to.equal(true)
    }
    expect(argv(command, { fallback: 'fish' })).to.deep.equal(['fish', '-c', 'x'])
    for (const other of ['fish', 'python3', 'shx', '/sh/perl']) expect(isShellLike(other)).to.equal(false)
  })
  it('4.2.2 a shell named by the user is used exactly as written, without -e', () => {
    expect(argv(command, { step: ['bash'], fallback: 'sh' })).to.deep.equal(['bash', '-c', 'x'])
    expect(argv(command, { dag: ['sh', '-u'], fallback: 'sh' })).to.deep.equal(['sh', '-u', '-c', 'x'])
  })
  it('4.2.2 with -e a command line stops at the first failing command', () => {
    expect(() => execFileSync('sh', ['-e', '-c', 'false; echo on'], { stdio: 'pipe' })).to.throw()
    expect(argv({ command: 'false; echo on', args: [] }, plain).slice(0, 2)).to.deep.equal(['sh', '-e'])
  })
  it('4.2.3 the default as a text is split like a command line; -c is appended unless present', () => {
    expect(argv(command, { fallback: 'bash -euo pipefail' })).to.deep.equal([
      'bash',
      '-euo',
      'pipefail',
      '-e',
      '-c',
      'x'
    ])
    expect(argv(command, { step: ['bash', '-c'], fallback: 'sh' })).to.deep.equal(['bash', '-c', 'x'])
    expect(argv(command, { step: ['bash', '-lc'], fallback: 'sh' })).to.deep.equal(['bash', '-lc', 'x'])
    expect(argv(command, { step: ['bash', '--norc'], fallback: 'sh' })).to.deep.equal(['bash', '--norc', '-c', 'x'])
  })
  it('4.2.4 powershell and pwsh take -Command and .ps1, cmd takes /c and .bat', () => {
    expect(argv({ command: 'x', args: ["it's"] }, { step: ['pwsh'], fallback: 'sh' })).to.deep.equal([
      'pwsh',
      '-Command',
      "x 'it''s'"
    ])
    expect(argv(command, { step: ['cmd.exe'], fallback: 'sh' })).to.deep.equal(['cmd.exe', '/c', 'x'])
    const script = { script: 'x', args: [] }
    expect(invocation(script, { step: ['powershell'], fallback: 'sh' })).to.deep.equal({
      argv: ['powershell', SCRIPT],
      script: 'x',
      scriptExtension: '.ps1'
    })
    expect(invocation(script, { step: ['cmd'], fallback: 'sh' })).to.deep.equal({
      argv: ['cmd', '/c', SCRIPT],
      script: 'x',
      scriptExtension: '.bat'
    })
  })
})

describe('shell › powershell and cmd (4.2.4)', () => {
  it('4.2.4 a -Command or /c that is there already is not added again, in any case', () => {
    const command = { command: 'x', args: [] }
    expect(argv(command, { step: ['pwsh', '-NoProfile', '-command'], fallback: 'sh' })).to.deep.equal([
      'pwsh',
      '-NoProfile',
      '-command',
      'x'
    ])
    expect(argv(command, { dag: ['cmd', '/Q', '/C'], fallback: 'sh' })).to.deep.equal(['cmd', '/Q', '/C', 'x'])
    expect(argv(command, { fallback: 'powershell.exe' })).to.deep.equal(['powershell.exe', '-Command', 'x'])
  })
  it('4.2.4 a script file takes no -Command', () => {
    expect(argv({ script: 'x', args: [] }, { step: ['pwsh', '-NoProfile', '-Command'], fallback: 'sh' })).to.deep.equal(
      ['pwsh', '-NoProfile', SCRIPT]
    )
  })
})

describe('shell › nix-shell (4.2.5)', () => {
  const nix = { step: ['nix-shell'], fallback: 'sh' }
  const packages = ['python3', 'jq']

  it('4.2.5 nix-shell [-p pkg]... --pure --run "<text>"', () => {
    expect(argv({ command: 'jq . x', args: ["it's"], packages }, nix)).to.deep.equal([
      'nix-shell',
      '-p',
      'python3',
      '-p',
      'jq',
      '--pure',
      '--run',
      "jq . x 'it'\\''s'"
    ])
    expect(argv({ command: 'echo "a b"', args: [] }, { dag: ['/nix/bin/nix-shell'], fallback: 'sh' })).to.deep.equal([
      '/nix/bin/nix-shell',
      '--pure',
      '--run',
      'echo "a b"'
    ])
  })
  it("4.2.5 flags of one's own stay before the packages; --pure and --run stand once", () => {
    const step = ['nix-shell', '--keep', 'HOME', '--pure', '--run']
    expect(argv({ command: 'x', args: [], packages: ['jq'] }, { step, fallback: 'sh' })).to.deep.equal([
      'nix-shell',
      '--keep',
      'HOME',
      '-p',
      'jq',
      '--pure',
      '--run',
      'x'
    ])
  })
  it('4.2.5 `set -e; ` is put in front when nix-shell came from a default', () => {
    expect(argv({ command: 'a; b', args: [], packages: ['jq'] }, { fallback: 'nix-shell --quiet' })).to.deep.equal([
      'nix-shell',
      '--quiet',
      '-p',
      'jq',
      '--pure',
      '--run',
      'set -e; a; b'
    ])
  })
  it('4.2.5 command and script: --run "<program> <args> <script file>"', () => {
    expect(
      invocation({ command: 'python3 -u "x y"', args: ['$Z'], script: 'print(1)', packages: ['python3'] }, nix)
    ).to.deep.equal({
      argv: ['nix-shell', '-p', 'python3', '--pure', '--run', `'python3' '-u' 'x y' '$Z' ${SCRIPT}`],
      script: 'print(1)'
    })
  })
  it('Choice: a script alone is run by the bash of the environment', () => {
    expect(argv({ script: 'echo', args: [] }, nix)).to.deep.equal(['nix-shell', '--pure', '--run', `bash ${SCRIPT}`])
    expect(argv({ script: 'echo', args: [] }, { fallback: 'nix-shell' }).at(-1)).to.equal(`set -e; bash -e ${SCRIPT}`)
  })
  it('only nix-shell takes packages; others run as without them', () => {
    expect(takesPackages(nix)).to.equal(true)
    expect(takesPackages({ fallback: 'nix-shell' })).to.equal(true)
    expect(takesPackages({ step: ['bash'], dag: ['nix-shell'], fallback: 'nix-shell' })).to.equal(false)
    expect(argv({ command: 'x', args: [], packages }, plain)).to.deep.equal(['sh', '-e', '-c', 'x'])
  })
  it('3.1.2 a backtick command is run by it too, and by each shell in its own way', () => {
    expect(shellCommand(['nix-shell'], 'x')).to.deep.equal(['nix-shell', '--pure', '--run', 'x'])
    expect(shellCommand(['cmd'], 'x')).to.deep.equal(['cmd', '/c', 'x'])
    expect(shellCommand(['bash', '-lc'], 'x')).to.deep.equal(['bash', '-lc', 'x'])
    expect(shellCommand([], 'x')).to.deep.equal(['sh', '-c', 'x'])
  })
  it('it reads POSIX shell language', () => expect(isShellLike('/nix/bin/nix-shell')).to.equal(true))
})

describe('shell › script (4.3)', () => {
  const shebang = { script: '  #!/usr/bin/env python3 -u\nprint(1)\n', args: [] }
  it('4.3.1 the script text is trimmed', () => {
    expect(invocation({ script: '\n  echo 1\n\n', args: [] }, plain).script).to.equal('echo 1')
  })
  it('4.3.2 first line #!prog args: run prog args <file> when no shell was named', () => {
    expect(argv(shebang, plain)).to.deep.equal(['/usr/bin/env', 'python3', '-u', SCRIPT])
    expect(argv({ script: '#!\necho', args: [] }, plain)).to.deep.equal(['sh', '-e', SCRIPT])
  })
  it('4.3.2 otherwise <shell> [args] [-e] <file>', () => {
    expect(argv(shebang, { step: ['bash', '-x'], fallback: 'sh' })).to.deep.equal(['bash', '-x', SCRIPT])
    expect(argv(shebang, { dag: ['bash'], fallback: 'sh' })).to.deep.equal(['bash', SCRIPT])
    expect(argv({ script: 'echo', args: [] }, plain)).to.deep.equal(['sh', '-e', SCRIPT])
  })
  it('4.3.2 a -c among the flags does not make the file a command', () => {
    expect(argv({ script: 'x', args: [] }, { step: ['bash', '-lc'], fallback: 'sh' })).to.deep.equal([
      'bash',
      '-l',
      SCRIPT
    ])
    expect(argv({ script: 'x', args: [] }, { step: ['bash', '-c'], fallback: 'sh' })).to.deep.equal(['bash', SCRIPT])
  })
})
