/** An executor of a host application in the frame of those that work inside the engine's process. Source: definition-format "Executors". */

import { ConfigError, type ConfigValues, configValues } from './config-values.ts'
import type { ConfigOf, CustomExecutor, Kinds, Settings } from './custom.ts'
import { ExecutionError, type InProcess, type Performed } from './in-process.ts'

export const customInsider = (custom: CustomExecutor): InProcess => ({
  type: custom.type,
  reads: custom.reads ?? 'words',
  async perform({ execution, stdout, stderr, signal, onSignal }): Promise<Performed> {
    const kill = new AbortController()
    onSignal((name) => {
      if (name === 'SIGKILL') kill.abort()
    })
    const { step, words = [], command, script, workingDir, env, config = {} } = execution
    const end = await custom.execute({
      stepName: step.name,
      config: configOf(custom.config ?? {}, configValues(config)),
      words,
      ...(command === undefined ? {} : { command }),
      ...(script === undefined ? {} : { script }),
      workingDir,
      env,
      stdout,
      stderr,
      stop: signal,
      kill: kill.signal
    })
    const { exitCode, output } = typeof end === 'object' && end ? end : { exitCode: end ?? 0, output: undefined }
    const refuse = (what: string) => new ExecutionError(1, `the executor ${custom.type} has ended with ${what}`)
    if (!Number.isInteger(exitCode) || exitCode < 0) throw refuse(`${exitCode}: wanted an exit code from 0`)
    if (output === undefined) return exitCode
    if (typeof output !== 'string') throw refuse(`a ${typeof output} as its output: wanted text`)
    return { exitCode, output }
  },
  ...(custom.close ? { close: () => custom.close?.() } : {})
})

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
