/** Runs an executor of a host application in the frame of in-process executors. Source: definition-format "Executors". */
import { Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { ConfigError, type ConfigValues, configValues } from '../frame/config-values.ts'
import { ExecutionError, type InProcess, type Performed } from '../frame/in-process.ts'
import type { ConfigOf, CustomEnd, CustomExecutor, Kinds, Settings } from './custom.ts'

// D640: custom executors run inside the engine's process
export const customInsider = (custom: CustomExecutor): InProcess => ({
  type: custom.type,
  isHosted: true,
  reads: custom.reads ?? 'words',
  async perform({ execution, stdout, stderr, signal, onSignal }): Promise<Performed> {
    const kill = new AbortController()
    onSignal((name) => {
      if (name === 'SIGKILL') kill.abort()
    })
    const lent = { stdout: lentTo(stdout), stderr: lentTo(stderr) }
    const { step, words = [], command, script, workingDir, env, config = {} } = execution
    const input = {
      stepName: step.name,
      config: configOf(custom.config ?? {}, configValues(config)),
      words,
      ...(command === undefined ? {} : { command }),
      ...(script === undefined ? {} : { script }),
      workingDir,
      env,
      ...lent,
      stop: signal,
      kill: kill.signal
    }
    let end: CustomEnd
    try {
      end = await custom.execute(input)
    } finally {
      await Promise.all([written(lent.stdout), written(lent.stderr)])
    }
    const { exitCode, output } = typeof end === 'object' && end ? end : { exitCode: end ?? 0, output: undefined }
    const refuse = (what: string) => new ExecutionError(1, `the executor ${custom.type} has ended with ${what}`)
    if (!Number.isSafeInteger(exitCode) || exitCode < 0)
      throw refuse(`${shown(exitCode)}: wanted an exit code from 0 to ${Number.MAX_SAFE_INTEGER}`)
    if (output === undefined) return exitCode
    if (typeof output !== 'string') throw refuse(`a ${typeof output} as its output: wanted text`)
    return { exitCode, output }
  },
  ...(custom.close ? { close: () => custom.close?.() } : {})
})

/** The text of an invalid exit code; a string is quoted, so that it differs from a number. */
function shown(code: unknown): string {
  if (code === undefined) return 'no exit code'
  if (code === null || typeof code === 'number' || typeof code === 'boolean') return String(code)
  return typeof code === 'string' ? JSON.stringify(code) : `a code of type ${typeof code}`
}

/**
 * A stream to a log for the host: `pipeline` destroys its target when its source fails or is stopped, and destroying the log
 * itself would lose written data and the reason. It buffers no more than the log does.
 */
function lentTo(log: Writable): Writable {
  const stream = new Writable({
    write(chunk: Buffer, _, done) {
      let isTaken = false
      const taken = (error?: Error | null) => {
        if (!isTaken) done(error)
        isTaken = true
      }
      if (log.write(chunk, taken)) taken()
    }
  })
  return stream.on('error', () => {}) // a write after the end is ignored; a broken log is reported by its close
}

/** Resolves when the log has what was written. */
async function written(stream: Writable): Promise<void> {
  stream.end()
  await finished(stream).catch(() => {}) // destroyed: nothing more is written
}

/** @throws ConfigError */
function configOf(settings: Settings, values: ConfigValues): ConfigOf<Settings> {
  const config: Record<string, Kinds[keyof Kinds]> = {}
  for (const [name, { is, required = false }] of Object.entries(settings)) {
    const value = READ[is](values, name)
    if (value !== undefined) config[name] = value
    else if (required) throw new ConfigError(`config.${name}: is required`)
  }
  return config
}

const READ: { [K in keyof Kinds]: (values: ConfigValues, name: string) => Kinds[K] | undefined } = {
  text: (values, name) => values.text(name),
  flag: (values, name) => values.flag(name),
  number: (values, name) => values.number(name),
  texts: (values, name) => values.texts(name),
  map: (values, name) => values.pairs(name),
  any: (values, name) => values.any(name)
}
