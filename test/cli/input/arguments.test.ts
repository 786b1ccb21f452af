import { expect } from 'chai'
import { readArguments } from '../../../src/cli/input/arguments.ts'
import type { Arguments } from '../../../src/cli/input/command.ts'
import { commands, laterCommands } from '../../../src/cli/input/commands.ts'
import { paramsOf } from '../../../src/cli/input/params-text.ts'
import { nearest } from '../../../src/nearest.ts'
import { growth, LINEAR } from '../../support/processor-time.ts'

const commandNamed = (name: string) => {
  const command = commands.find((command) => command.name === name)
  if (command) return command
  throw new Error(`no command ${name}`)
}
const read = (name: string, ...argv: string[]): Promise<Arguments> => readArguments(commandNamed(name), argv)
const refusal = (name: string, ...argv: string[]): Promise<string> =>
  read(name, ...argv).then(
    () => 'accepted',
    (error: Error) => error.message
  )

describe('command line › arguments', () => {
  it('start takes -p/--params, -N/--name, -r/--run-id and the words after --', async () => {
    const { operand, text, words } = await read(
      'start',
      '-N',
      'other',
      'etl',
      '--run-id=r1',
      '-p',
      'A=1',
      '--',
      'a',
      '-x',
      '--'
    )
    expect(operand).to.equal('etl')
    expect(text).to.deep.equal({ name: 'other', 'run-id': 'r1', params: 'A=1' })
    expect(words).to.deep.equal(['a', '-x', '--'])
  })

  it('every command has the common flags --home, -q/--quiet, -h/--help and --json', async () => {
    for (const { name, operand } of commands) {
      const { text, on } = await read(
        name,
        '--home',
        '/h',
        '-q',
        '--json',
        ...(operand ? ['etl'] : []),
        ...(operand?.includes(' STEP') ? ['load'] : [])
      )
      expect(text, name).to.deep.equal({ home: '/h' })
      expect([...on], name).to.have.members(['quiet', 'json'])
      expect([...(await read(name, '-h')).on], name).to.deep.equal(['help'])
    }
  })

  it('--engine-home is another spelling of --home', async () => {
    expect((await read('status', 'etl', '--engine-home', '/h')).text).to.deep.equal({ home: '/h' })
  })

  it('server and start-all take -s/--host, -p/--port, -d/--dags', async () => {
    for (const name of ['server', 'start-all']) {
      const { text } = await read(name, '-s', '::1', '-p', '0', '-d', 'flows')
      expect(text, name).to.deep.equal({ host: '::1', port: '0', dags: 'flows' })
    }
  })

  it('a short flag takes its value with =, without it, or as the next word', async () => {
    for (const argv of [['-r=r1'], ['-rr1'], ['-r', 'r1']])
      expect((await read('stop', 'etl', ...argv)).text).to.deep.equal({ 'run-id': 'r1' })
  })

  it('an unknown flag is refused with the nearest one', async () => {
    expect(await refusal('start', 'etl', '--nmae', 'x')).to.equal('start: unknown flag --nmae; did you mean --name?')
    expect(await refusal('start', 'etl', '--labels', 'x')).to.match(/unknown flag --labels; use `tags`/)
    expect(await refusal('status', 'etl', '-x')).to.equal('status: unknown flag -x; troupe help status lists all')
  })

  it('--params twice is refused, none of them is left out without a word; of another flag the last one counts', async () => {
    const said = (flag: string) => `start: wanted ${flag} once, found it again; one value holds all: ${flag} 'A=1 B=2'`
    expect(await refusal('start', 'etl', '--params', 'A=1', '--params=B=2')).to.equal(said('--params'))
    expect(await refusal('start', 'etl', '--params=', '-p', 'B=2')).to.equal(said('-p'))
    expect((await read('start', 'etl', '--run-id=a', '--run-id=b')).text).to.deep.equal({ 'run-id': 'b' })
  })

  it('a flag that wants a value is refused without one', async () => {
    expect(await refusal('start', 'etl', '--run-id')).to.equal('start: --run-id wants a value: --run-id=ID')
    expect(await refusal('start', 'etl', '-r', '--json')).to.equal(
      'start: -r wants a value, found --json; write -r--json if it is one'
    )
    expect(await refusal('stop', 'etl', '--home=')).to.equal('stop: --home wants a value: --home=DIR')
  })

  it('-p/--params may be empty, as in -p "$PARAMS" of a script: no params', async () => {
    for (const argv of [['-p', ''], ['-p='], ['--params', ''], ['--params=']])
      for (const name of ['start', 'enqueue', 'dry']) {
        const args = await read(name, 'etl', ...argv)
        expect(args.text, `${name} ${argv}`).to.deep.equal({ params: '' })
        expect(paramsOf(name, args)).to.equal('')
        expect(paramsOf(name, await read(name, 'etl', ...argv, '--', 'A=1')), 'beside words').to.equal('A=1')
      }
    expect(await refusal('start', 'etl', '--params')).to.equal('start: --params wants a value: --params=PARAMS')
    expect(await refusal('start-all', '-p', '')).to.equal('start-all: -p wants a value: -p PORT')
  })

  it('a switch takes no value', async () => {
    expect(await refusal('status', 'etl', '--json=yes')).to.equal(
      'status: --json is a switch and takes no value, found "yes"'
    )
  })

  it('no argument: usage', async () => {
    expect(await refusal('start')).to.equal(
      'start: wanted a definition, found none; usage: troupe start FILE|NAME [flags] [-- params]'
    )
    expect(await refusal('stop')).to.equal('stop: wanted a run, found none; usage: troupe stop RUN [flags]')
  })

  it('a step that is wanted, and what is sent to it', async () => {
    expect((await read('signal', 'order', 'paid', '{"a":1}')).operands).to.deep.equal(['order', 'paid', '{"a":1}'])
    expect(await refusal('approve', 'order')).to.equal(
      'approve: wanted a run and a step, found order; usage: troupe approve RUN STEP [flags]'
    )
    expect(await refusal('signal', 'a', 'b', 'c', 'd')).to.contain('found 4: a b c d')
  })

  it('more than one definition is refused, and start says where parameters go', async () => {
    expect(await refusal('status', 'a', 'b')).to.equal('status: wanted one run, found 2: a b')
    expect(await refusal('start', 'a', 'b=1')).to.equal(
      'start: wanted one definition, found 2: a b=1; parameters stand after --'
    )
    expect(await refusal('server', 'a')).to.contain('server: takes no argument, found "a"')
    expect(await refusal('status', 'a', '--', 'b')).to.equal('status: takes nothing after --')
  })

  it('no two commands and no two flags of a command share a name', () => {
    const names = [...commands.map(({ name }) => name), ...laterCommands]
    expect(new Set(names).size).to.equal(names.length)
    for (const { name, flags } of commands) {
      const spelled = flags.flatMap(({ name, short }) => [name, ...(short ? [short] : [])])
      expect(new Set(spelled).size, name).to.equal(spelled.length)
    }
  })
})

describe('command line › nearest', () => {
  it('suggests the word with the fewest typing slips, and none when all are far', () => {
    expect(nearest('strat', ['start', 'status', 'stop'])).to.equal('start')
    expect(nearest('stauts', ['start', 'status', 'stop'])).to.equal('status')
    expect(nearest('STOP', ['start', 'status', 'stop'])).to.equal('stop')
    expect(nearest('deploy', ['start', 'status', 'stop'])).to.equal(undefined)
    for (const [found, known] of [
      ['strt', 'start'],
      ['startt', 'start'],
      ['satrt', 'start'],
      ['disable-max-actve-rnus', 'disable-max-active-runs'],
      ['abcdefghijklmnop', 'bacdfeghjiklmnpo']
    ] as const)
      expect(nearest(found, ['x', known, 'zzzzz']), found).to.equal(known)
    for (const found of ['sxaxx', 'stopstopstopstop', 'abcdefghijklmnop'])
      expect(nearest(found, ['start', 'stepstepstepstepxxxx', 'badcfehgjilknmpo']), found).to.equal(undefined)
  })

  it('words that are longer than anybody types, or more than anybody knows, cost no more than others', async () => {
    const many = Array.from({ length: 100_000 }, (_, index) => `a-rather-long-name-of-a-step-${index}`)
    const among = (count: number) =>
      expect(nearest('a-rathre-long-nmae-of-a-step-7', many.slice(0, count))).to.equal('a-rather-long-name-of-a-step-7')
    expect(await growth(among, 1_000, 100_000)).to.be.below(LINEAR)
    const long = (length: number) => nearest('x'.repeat(length), ['y'.repeat(length)])
    expect(await growth(long, 1_000, 1_000_000)).to.be.below(LINEAR)
    const alike = (count: number) => nearest('y'.repeat(100), Array(count).fill(`${'y'.repeat(98)}xx`))
    expect(await growth(alike, 1_000, 100_000)).to.be.below(LINEAR)
    expect(nearest('', ['start'])).to.equal(undefined)
  })
})
