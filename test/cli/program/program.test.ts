/** The program as it is installed: what it prints, what it exits with, and what it loads. */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { commands, laterCommands } from '../../../src/cli/input/commands.ts'
import { PROGRAM } from '../../support/cli/program.ts'
import { temporaryFolder } from '../../support/homes.ts'

const room = fileURLToPath(new URL('../../../src/cli/', import.meta.url))
const home = temporaryFolder()

function troupe(...argv: string[]) {
  const env = { PATH: process.env.PATH, HOME: home, ENGINE_HOME: join(home, 'home') }
  const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, ...argv], {
    cwd: home,
    env,
    encoding: 'utf8'
  })
  return { status, stdout, stderr }
}
const refused = (message: string) => ({ status: 1, stdout: '', stderr: `Error: ${message}\n` })

describe('troupe', () => {
  it('version: version only, stdout', () => {
    const { version } = JSON.parse(readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8'))
    expect(troupe('version')).to.deep.equal({ status: 0, stdout: `${version}\n`, stderr: '' })
    for (const flag of ['--version', '-v']) expect(troupe(flag).stdout).to.equal(`${version}\n`)
    expect(troupe('--version', '--json').stdout).to.equal(`{"version":"${version}"}\n`)
    expect(troupe('version', '--json').stdout).to.equal(`{"version":"${version}"}\n`)
  })

  it('schema: the JSON Schema of definitions, as docs/ has it', () => {
    const copy = readFileSync(new URL('../../../../docs/definition.schema.json', import.meta.url), 'utf8')
    expect(troupe('schema')).to.deep.equal({ status: 0, stdout: copy, stderr: '' })
    expect(troupe('schema', '--quiet').stdout).to.equal('')
  })

  it('help lists every command; help COMMAND and COMMAND -h say the same', () => {
    const { status, stdout } = troupe('help')
    expect(status).to.equal(0)
    const { stdout: all } = troupe('help', 'all')
    for (const { name, summary } of commands) {
      expect(stdout).to.match(new RegExp(`[ ,]${name}[,\\s]`))
      expect(all).to.match(new RegExp(`^ {2}${name} +.${summary.slice(1)}$`, 'm'))
    }
    expect(troupe('help', 'flags').stdout).to.contain('--token-file FILE')
    expect(troupe('-h').stdout).to.equal(stdout)
    expect(troupe('help', 'stop')).to.deep.equal({
      status: 0,
      stdout: `Usage: troupe stop RUN [flags]

Stop a run; with a name, all of its runs that are running.

  -r, --run-id ID  id of the run, as in NAME:ID; latest is the newest
      --force      kill everything that is running, handlers included, and start no further handler

Flags of every command, see troupe help flags: --home, --config, --url, --token-file, --json, --quiet, --help
RUN is NAME for its newest run, NAME:ID, NAME:latest, or an id: whole, or six characters or more of its beginning or end.
Also written: cancel (stop)

Example:
  troupe stop etl
`,
      stderr: ''
    })
    expect(troupe()).to.deep.equal(troupe('help'))
    for (const argv of ['stop -h', '-h stop', '--home x help stop', 'help -q stop'])
      expect(troupe(...argv.split(' ')).stdout, argv).to.equal(troupe('help', 'stop').stdout)
    for (const argv of ['help help', 'help -h', '--home x help'])
      expect(troupe(...argv.split(' ')), argv).to.deep.equal({ status: 0, stdout, stderr: '' })
  })

  it('any error: exit 1, one line on stderr "Error: ..."', () => {
    expect(troupe('--versio')).to.deep.equal(refused('unknown flag --versio; did you mean --version?'))
    expect(troupe('--home', 'x', '-x')).to.deep.equal(refused('unknown flag -x; troupe help lists all'))
    expect(troupe('help', 'start', 'stop')).to.deep.equal(refused('help: wanted one command, found start and stop'))
    expect(troupe('strat')).to.deep.equal(refused('unknown command "strat"; did you mean start?'))
    expect(troupe('frobnicate')).to.deep.equal(refused('unknown command "frobnicate"; troupe help lists all'))
    expect(troupe('status', 'x', '--jsno')).to.deep.equal(refused('status: unknown flag --jsno; did you mean --json?'))
    expect(troupe('start')).to.deep.equal(
      refused('start: wanted a definition, found none; usage: troupe start FILE|NAME [flags] [-- params]')
    )
    expect(troupe('a\x1b[31m\nb')).to.deep.equal(refused('unknown command "a\\u001b[31m\\nb"; troupe help lists all'))
  })

  it('documented commands of later releases are refused by name', () => {
    for (const name of laterCommands)
      expect(troupe(name, 'x'), name).to.deep.equal(refused(`not supported yet: ${name}`))
  })

  it('common flags may come before the command', () => {
    const { status, stderr } = troupe('--home', join(home, 'nowhere'), 'status', 'x')
    expect(status).to.equal(1)
    // What follows names servers of other homes.
    expect(stderr).to.match(new RegExp(`^Error: x has no runs in the home ${home}/nowhere(; .*)?\n$`))
  })

  it('inspect <DAG> / --run, --format json|mermaid: what does not go together is refused, and says what does', () => {
    for (const [words, message] of [
      ['-r r1', 'inspect: wanted RUN beside --run-id r1, whose run it is'],
      ['etl --machine node', 'inspect: wanted a run or a chart, found etl and --machine node'],
      ['etl --format stately', 'inspect: --format: wanted text, json, mermaid for a run, found "stately"'],
      ['etl --format svg', 'inspect: --format: wanted text, json, mermaid for a run, found "svg"'],
      [
        '--format mermaid',
        'inspect: --format: wanted text, json for the list of charts, found "mermaid"; --machine names one of them'
      ],
      [
        '--format stately',
        'inspect: --format: wanted text, json for the list of charts, found "stately"; --machine names one of them'
      ],
      [
        '--machine node --format svg -q',
        'inspect: --format: wanted text, json, mermaid, stately for a chart, found "svg"'
      ]
    ] as const)
      expect(troupe('inspect', ...words.split(' ')), words).to.deep.equal(refused(message))
    expect(troupe('inspect', 'etl', '--json', '--format', 'mermaid').stderr).to.equal(
      'Error: inspect: wanted --json or --format mermaid, found both\n'
    )
    expect(troupe('inspect', '--json', '--format', 'json').stdout).to.equal(troupe('inspect', '--json').stdout)
  })

  it('validate: 0 and one line, or 1 and one `- problem` line each on stderr', () => {
    writeFileSync(join(home, 'good.yaml'), 'steps:\n  - echo hello\n')
    writeFileSync(
      join(home, 'bad.yaml'),
      'steps:\n  - name: a\n    command: echo\n    depends: nobody\n    colour: red\n'
    )
    expect(troupe('validate', 'good')).to.deep.equal({ status: 0, stdout: 'good.yaml is valid: good\n', stderr: '' })
    expect(troupe('validate', '-q', 'good')).to.deep.equal({ status: 0, stdout: '', stderr: '' })
    const { status, stdout, stderr } = troupe('validate', 'bad.yaml')
    expect({ status, stdout }).to.deep.equal({ status: 1, stdout: '' })
    expect(stderr.trimEnd().split('\n')).to.have.members([
      "- bad.yaml:4:14: field 'depends': step a depends on non-existent step nobody",
      "- bad.yaml:5:5: field 'steps[0]': has invalid keys: colour"
    ])
    writeFileSync(join(home, 'latin.yaml'), Buffer.from('steps:\n  - echo caf\xe9\n', 'latin1'))
    const latin = '- latin.yaml:2:13: wanted UTF-8, found the byte 0xE9: save the file as UTF-8\n'
    for (const command of ['validate', 'dry'])
      expect(troupe(command, 'latin')).to.deep.equal({ status: 1, stdout: '', stderr: latin })
    const json = troupe('validate', 'bad.yaml', '--json')
    expect(json.status).to.equal(1)
    expect(JSON.parse(json.stdout)).to.deep.include({
      valid: false,
      name: 'bad',
      file: join(home, 'bad.yaml'),
      warnings: []
    })
    expect(JSON.parse(json.stdout).problems).to.have.length(2)
  })

  it('validate opens no store', () => {
    expect(existsSync(join(home, 'home'))).to.equal(false)
  })
})

describe('troupe › what it loads', () => {
  /** Everything that is loaded with a built file, by following its import statements; `import()` is not followed. */
  function loaded(file: string, seen = new Set<string>()): Set<string> {
    if (seen.has(file)) return seen
    seen.add(file)
    const text = readFileSync(file, 'utf8')
    for (const [, from = ''] of text.matchAll(/^(?:import|export)\s(?:[^'"]*?\sfrom\s)?['"]([^'"]+)['"]/gm)) {
      if (from.startsWith('.')) loaded(resolve(dirname(file), from), seen)
      else seen.add(from)
    }
    return seen
  }
  const short = (files: Set<string>) => [...files].map((file) => file.replace(`${resolve(room, '..')}/`, ''))
  const packages = (files: string[]) => files.filter((file) => !/[/.]/.test(file) || !/\.js$/.test(file))

  it('version, help and argument errors load nothing but the arguments', () => {
    expect(short(loaded(join(room, 'main.js')))).to.have.members([
      'cli/main.js',
      'cli/program/no-debugger.js',
      'cli/results.js',
      'cli/dispatch.js',
      'cli/input/arguments.js',
      'cli/input/commands.js',
      ...['running', 'waiting', 'looking', 'defining', 'serving', 'admitting'].map(
        (name) => `cli/input/commands/${name}.js`
      ),
      'cli/input/operands.js',
      'cli/input/shared-flags.js',
      'cli/output/shown.js',
      'cli/view/text.js',
      'errors.js',
      'node:fs',
      'node:util'
    ])
  })

  it('client commands load node:http and no package, store, parser or actor', () => {
    const commands = ['start', 'enqueue', 'dequeue', 'queues', 'status', 'stop', 'restart', 'retry', 'dry']
    const files = [...commands.map((name) => `commands/${name}`), 'context', 'owner/client'].flatMap((name) =>
      short(loaded(join(room, `${name}.js`)))
    )
    expect(packages(files).filter((name) => !name.startsWith('node:'))).to.deep.equal([])
    // That one makes paths of names, and nothing else.
    const parts = files.filter((file) => /^(definition|store|actors|executors)\//.test(file))
    expect(parts.filter((file) => file !== 'actors/run/log-names.js')).to.deep.equal([])
    expect(files).to.include('node:http')
  })
})
