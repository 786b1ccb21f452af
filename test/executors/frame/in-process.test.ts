/** The frame of executors inside the engine's process: logs, copies, masks, stop, records. Source: execution-semantics 4.5, 7.3.10, 13.5.3. */
import { existsSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { expect } from 'chai'
import { systemClock } from '../../../src/clock.ts'
import { dockerEngine } from '../../../src/executors/docker/connection.ts'
import type { Executor } from '../../../src/executors/executor.ts'
import { type ConfigError, configValues } from '../../../src/executors/frame/config-values.ts'
import { ExecutionError, type InProcess, inProcess } from '../../../src/executors/frame/in-process.ts'
import { write } from '../../../src/executors/frame/step-output.ts'
import { openExecutors } from '../../../src/executors/index.ts'
import { capturing } from '../../../src/executors/launcher/capture.ts'
import type { Launcher } from '../../../src/executors/launcher/launcher.ts'
import { marksFrom } from '../../../src/executors/launcher/marks.ts'
import { readState } from '../../../src/executors/processes/state-file.ts'
import { secretsOf } from '../../../src/masking/secrets.ts'
import { textOf } from '../../support/engine/live.ts'
import { benchOf } from '../../support/executors/executions.ts'
import { PROJECT } from '../../support/project.ts'
import { eventually } from '../../support/waiting.ts'

const executorOf = (perform: InProcess['perform']): Executor =>
  inProcess({ type: 'test', reads: 'words', perform }, systemClock)
const until = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))))

describe('executors inside the engine', () => {
  let perform: InProcess['perform'] = async () => 0
  const bench = benchOf(() => executorOf((work) => perform(work)))

  it('4.5.1: appends to the logs, and says where its own output begins', async () => {
    perform = async ({ stdout }) => {
      await write(stdout, 'first\n')
      return 4
    }
    const before = Date.now()
    const { execution, outcome } = bench.start({})
    const one = await outcome
    expect(one).to.include({ exitCode: 4, offset: 0, out: 'first\n' })
    expect(one.at).to.be.within(before, Date.now())
    const two = await bench.run({ stdout: execution.stdout })
    expect(two).to.include({ offset: 6, out: 'first\nfirst\n' })
  })
  it('4.5.2: `stdout:` and `stderr:` files get a copy; 4.5.3: they may name the same file', async () => {
    perform = async ({ stdout, stderr }) => {
      await write(stdout, 'out\n')
      await write(stderr, 'err\n')
      return 0
    }
    const copy = join(bench.folder, 'copy')
    const both = join(bench.folder, 'own.both')
    const { out, err } = await bench.run({ copies: { stdout: copy, stderr: copy, both } })
    expect([out, err, textOf(copy), textOf(both)]).to.deep.equal(['out\n', 'err\n', 'out\nerr\n', 'out\nerr\n'])
  })
  it('4.5.9: what is written can be read while the step is at work', async () => {
    perform = async ({ stdout, signal }) => {
      await write(stdout, 'so far')
      return until(signal)
    }
    const { execution, running, outcome } = bench.start({})
    await eventually('the output', () => textOf(execution.stdout) || undefined, 500)
    running.stop('SIGTERM')
    await outcome
  })
  it('everything written passes through the mask, the reason of a failure too', async () => {
    perform = async ({ stdout }) => {
      await write(stdout, 'it is hush')
      throw new Error('no hush')
    }
    const copy = join(bench.folder, 'masked')
    const masking = { secrets: secretsOf({ HUSH: 'hush' }), marks: true }
    const { execution, outcome } = bench.start({ masking, copies: { stdout: copy } })
    const end = await outcome
    expect(await marksFrom(execution.stdout, 0)).to.deep.equal([{ at: 6, secret: 'HUSH' }])
    expect(end).to.include({ exitCode: 1, out: 'it is *******', err: 'no *******\n' })
    expect(textOf(copy)).to.equal('it is *******')
  })
  it('a failure is its exit code and a line on stderr', async () => {
    perform = async () => {
      throw new ExecutionError(9, 'nine')
    }
    expect(await bench.run({})).to.include({ exitCode: 9, err: 'nine\n' })
  })
  it('an output that cannot be written fails the step with the reason', async () => {
    perform = async ({ stdout }) => {
      await write(stdout, 'lost')
      return 0
    }
    const missing = join(bench.folder, 'missing', 'log')
    for (const [stream, path, why] of [
      ['stdout', missing, 'the file system has no place for it'],
      ['stdout', bench.folder, 'it is a folder'],
      ['stdout', '/dev/full', 'no space is left']
    ] as const) {
      const error = await bench.run({ [stream]: path }).catch((error: Error) => error)
      expect(error, path).to.have.property('message', `its output cannot be written: ${path}: ${why}`)
    }
  })
  it('a reason that cannot be written to stderr is not lost behind that', async () => {
    perform = async ({ stderr }) => {
      await new Promise((resolve) => stderr.on('close', resolve)) // the file has been refused
      throw new Error('the work has failed')
    }
    const error = await bench.run({ stderr: bench.folder }).catch((error: Error) => error)
    expect(error).to.have.property('message', `its output cannot be written: ${bench.folder}: it is a folder`)
  })

  it('7.3.10: a stop aborts it; 7.3.7: it ended by that signal', async () => {
    perform = ({ signal }) => until(signal)
    const { execution, running, outcome } = bench.start({})
    running.stop('SIGINT')
    expect(await outcome).to.deep.include({ exitCode: -1, signal: 'interrupt', err: '' })
    const found = executorOf(perform).find(execution)
    expect(await found?.ended).to.deep.include({ exitCode: -1, signal: 'interrupt' })
  })
  it('work with its own outcome on a stop keeps it', async () => {
    perform = ({ signal }) => until(signal).catch(() => 14)
    const { running, outcome } = bench.start({})
    running.stop('SIGTERM')
    expect(await outcome).to.include({ exitCode: 14 })
  })
  it('a kill does not wait for work that will not listen', async () => {
    perform = () => new Promise(() => {})
    const { running, outcome } = bench.start({})
    running.stop('SIGTERM')
    running.kill()
    expect(await outcome).to.deep.include({ exitCode: -1, signal: 'terminated' })
  })

  it('work that handles signals gets each of them, and a kill waits for its end as long as configured', async () => {
    const heard: string[] = []
    const patient = inProcess(
      {
        type: 'test',
        reads: 'remote',
        killMs: 5_000,
        perform: ({ onSignal }) =>
          new Promise((resolve) =>
            onSignal((signal) => {
              heard.push(signal)
              if (signal === 'SIGKILL') resolve('SIGKILL')
            })
          )
      },
      systemClock
    )
    const execution = bench.execution({})
    const running = patient.start(execution)
    for (const signal of ['SIGUSR1', 'SIGTERM']) running.stop(signal)
    running.kill()
    expect(await running.ended).to.deep.include({ exitCode: -1, signal: 'killed' })
    expect(heard).to.deep.equal(['SIGUSR1', 'SIGTERM', 'SIGKILL'])
    expect(await patient.find(execution)?.ended).to.deep.include({ exitCode: -1, signal: 'killed' })
  })

  it('13.5.3: found again: one that never began is undefined, and leaves no trace', () => {
    const execution = bench.execution({})
    expect(executorOf(perform).find(execution)).to.equal(undefined)
    expect(existsSync(`${execution.state}.1.state`)).to.equal(false)
  })
  it('13.5.3: found again: one that had ended has its recorded end', async () => {
    perform = async ({ stdout }) => {
      await write(stdout, 'x')
      return 7
    }
    const { execution, outcome } = bench.start({})
    const { at } = await outcome
    const found = await executorOf(perform).find(execution)?.ended
    expect(found).to.deep.include({ exitCode: 7, offset: 0 })
    expect(found?.at).to.be.closeTo(at, 100)
  })
  it('13.5.3: found again: one that was at work is interrupted, its outcome unknown', async () => {
    perform = ({ signal }) => until(signal)
    const executor = executorOf((work) => perform(work))
    const execution = bench.execution({})
    let ended = false
    void executor.start(execution).ended.then(() => {
      ended = true
    })
    executor.close?.()
    await eventually('the abort', () => (readState(`${execution.state}.1.state`).state === 'alive' ? true : undefined))
    const error = await executorOf(perform)
      .find(execution)
      ?.ended.catch((error: Error) => error.message)
    expect(error).to.equal('interrupted: outcome unknown')
    expect(ended).to.equal(false)
    expect(readFileSync(`${execution.state}.1.state`, 'utf8').trim().split('\n')).to.have.length(1)
  })
  it('one that this very engine holds is found at work', async () => {
    perform = ({ signal }) => until(signal)
    const executor = executorOf(perform)
    const execution = bench.execution({})
    const running = executor.start(execution)
    expect(executor.find(execution)).to.equal(running)
    running.stop('SIGTERM')
    await running.ended
  })
})

describe('executors › the table', () => {
  const table = openExecutors(
    {} as Launcher,
    capturing({} as Launcher, '/'),
    systemClock,
    dockerEngine('/', {}, systemClock)
  )
  it('has one of each type', () => {
    expect([...table.keys()]).to.deep.equal(['shell', 'docker', 'http', 'jq', 'archive', 'mail', 'ssh', 'gha'])
    expect([...table.values()].map(({ reads }) => reads)).to.deep.equal([
      undefined,
      'words',
      'words',
      'text',
      'words',
      'words',
      'remote',
      'words'
    ])
  })
  it('each asks for what it needs beside texts and environment', () => {
    const needs = [...table.values()].flatMap(({ type, needs }) => (needs ? [[type, ...needs]] : []))
    expect(needs).to.deep.equal([
      ['docker', 'container'],
      ['mail', 'smtp'],
      ['gha', 'container', 'inputs']
    ])
  })
  it('loads what works inside the engine only when a step needs it: no package at start-up', () => {
    const eager = (path: string): string[] =>
      [...readFileSync(join(PROJECT, path), 'utf8').matchAll(/^import (?!type )[^;'()]*? from '([^']+)'/gm)].flatMap(
        ([, from = '']) => (from.startsWith('.') ? [posix.join(posix.dirname(path), from)] : [from])
      )
    const loaded = new Set(['src/executors/index.ts'])
    for (const path of loaded) if (path.startsWith('src/executors/')) for (const from of eager(path)) loaded.add(from)
    expect([...loaded])
      .to.include('src/executors/frame/in-process.ts')
      .and.not.include('src/executors/http/http.ts')
    expect([...loaded].filter((from) => !/^(src\/|node:)/.test(from))).to.deep.equal([])
  })
})

describe('config › 10.4.2: values convert weakly', () => {
  const values = configValues({
    Timeout: '5',
    silent: 'true',
    json: 1,
    body: 7,
    list: 'one',
    map: { a: 1, b: ['x', 'y'] },
    none: null
  })
  it('text to numbers and flags, scalars to text, one text to a list; keys in any case', () => {
    expect(values.number('timeout')).to.equal(5)
    expect([values.flag('silent'), values.flag('json'), values.flag('debug')]).to.deep.equal([true, true, undefined])
    expect(values.text('body')).to.equal('7')
    expect(values.texts('list')).to.deep.equal(['one'])
    expect(values.pairs('map')).to.deep.equal([
      ['a', '1'],
      ['b', 'x'],
      ['b', 'y']
    ])
    expect(values.text('none')).to.equal(undefined)
  })
  it('what cannot convert is refused by name, without its value', () => {
    const refused = (read: () => unknown): string => {
      try {
        read()
      } catch (error) {
        return (error as ConfigError).message
      }
      return ''
    }
    expect(refused(() => values.number('list'))).to.equal('config.list: wanted a number, found a string')
    expect(refused(() => values.text('map'))).to.equal('config.map: wanted text, found a map')
    expect(refused(() => values.flag('body'))).to.equal('')
  })
})
