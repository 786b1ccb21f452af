/** The environment of the processes of one action, and the state they have set so far. Source: execution-semantics 10.9.3, 10.9.4. */
import type { Action } from './action.ts'
import { type Context, filledIn } from './expression.ts'
import type { FileCommands } from './file-commands.ts'
import { type ActionPlaces, inner, inputVariable, outer } from './places.ts'

export interface SessionParts {
  action: Action
  places: ActionPlaces
  /** Inputs as the step gives them. */
  provided: Readonly<Record<string, string>>
  /** The part of the step's environment for the action. */
  env: Readonly<Record<string, string>>
  secrets: Readonly<Record<string, string>>
  /** PATH of the image; absent: unchanged. */
  path?: string
}

export interface Session {
  /** Warnings about the inputs, as sentences. */
  warnings: string[]
  /** The whole environment of a process, `more` last. */
  environment(more?: Readonly<Record<string, string>>): Record<string, string>
  /** Contexts of expressions. `more`: variables of the current step. */
  context(more?: Readonly<Record<string, string>>): Context
  /** Applies the command files of a process. @param step id of its composite step */
  take(commands: FileCommands, step?: { id: string; outcome: string }): void
  outputs: Map<string, string>
  /** State that earlier processes of a node action have saved for later ones, as variables. */
  state(): Record<string, string>
}

// D634: gha: `output` takes the JSON object of the outputs
/** @throws Error for an expression that is not supported */
export function openSession({ action, places, provided, env, secrets, path }: SessionParts): Session {
  const added: Record<string, string> = {}
  const folders: string[] = []
  const kept: Record<string, string> = {}
  const steps: { [id: string]: Context } = {}
  const outputs = new Map<string, string>()
  const inputs: Record<string, string> = {}
  const fixed = inner(places)
  const around = { ...outer(places), ...env }

  const variables = (): Record<string, string> => ({
    ...around,
    ...added,
    ...fixed,
    ...(path === undefined ? {} : { PATH: [...folders.toReversed(), path].join(':') })
  })

  function context(more: Readonly<Record<string, string>> = {}): Context {
    const all = variables()
    const named = (prefix: string) =>
      Object.fromEntries(
        Object.entries(all)
          .filter(([name]) => name.startsWith(prefix))
          .map(([name, value]) => [name.slice(prefix.length).toLowerCase(), value])
      )
    return {
      inputs: { ...inputs },
      env: { ...env, ...added, ...more },
      secrets: { ...secrets },
      steps: { ...steps },
      github: { ...named('GITHUB_'), token: places.token },
      runner: named('RUNNER_')
    }
  }

  const warnings: string[] = []
  const names = new Map(Object.keys(provided).map((name) => [name.toLowerCase(), name]))
  for (const [name, { required, default: standard }] of action.inputs) {
    const own = names.get(name.toLowerCase())
    names.delete(name.toLowerCase())
    if (own === undefined && standard === undefined && required)
      warnings.push(`the input ${name} is required by the action, and params has none of that name`)
    inputs[name] = own === undefined ? filledIn(standard ?? '', context()) : (provided[own] ?? '')
  }
  for (const name of names.values()) {
    warnings.push(`the action has no input ${name}; it has ${[...action.inputs.keys()].join(', ') || 'none'}`)
    inputs[name] = provided[name] ?? ''
  }
  const asVariables = Object.fromEntries(Object.entries(inputs).map(([name, value]) => [inputVariable(name), value]))

  return {
    warnings,
    outputs,
    context,
    environment: (more = {}) => ({ ...variables(), ...asVariables, ...more }),
    take(commands, step) {
      Object.assign(added, Object.fromEntries(commands.env))
      for (const folder of commands.path) folders.push(folder)
      for (const [name, value] of commands.state) kept[`STATE_${name}`] = value
      if (step) {
        steps[step.id] = {
          outputs: Object.fromEntries(commands.output),
          outcome: step.outcome,
          conclusion: step.outcome
        }
      } else for (const [name, value] of commands.output) outputs.set(name, value)
    },
    state: () => ({ ...kept })
  }
}
