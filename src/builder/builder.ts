/** Collects the steps of one DAG while its builder function runs. Source: docs/embedding/README.md. */
import { HANDLER_KINDS, HANDLER_NAMES } from '../definition/dag/dag.ts'
import type { Node } from '../executors/function/types.ts'
import { didYouMean } from '../nearest.ts'
import { fromFirst, readCollecting, readPasses, withParams } from './flow.ts'
import { insideOf, isFromElsewhere } from './inside.ts'
import { type Answering, type Asking, type Construct, shown, splitOptions } from './options.ts'
import type { Said, SaidStep } from './said.ts'

/** Names of functions: `order/charge`, and `order/charge#env` for an option of the step. */
export const bodyName = (dag: string, step: string, asking?: Asking | 'repeat' | 'collect'): string =>
  asking === undefined ? `${dag}/${step}` : `${dag}/${step}#${asking}`

type Untyped = Record<Construct, (name: unknown, ...rest: unknown[]) => unknown>

/**
 * @param signals the names of declared signals
 * @returns the builder that is passed to the function of a host, and what it has been told
 */
export function openBuilder(dag: string, signals: readonly string[]): { builder: Untyped; said: Said; seal(): void } {
  const handles = new WeakMap<object, string>()
  const names = new Set<string>()
  const said: Said = {
    steps: [],
    handlers: {},
    bodies: [],
    uses: new Map(),
    problems: [],
    nameOf: (handle) => handles.get(Object(handle))
  }
  let isSealed = false

  function add(construct: Construct, written: unknown, options: unknown, what?: unknown): Node {
    const step = read(construct, written, options, what)
    said.steps.push(step)
    const handle = Object.freeze({ name: step.name })
    handles.set(handle, step.name)
    return handle as unknown as Node // its result exists in the types only
  }

  function read(construct: Construct, written: unknown, options: unknown, what?: unknown): SaidStep {
    if (isSealed)
      throw new Error(
        `DAG "${dag}": step ${shown(written)} was added when the DAG was complete: add steps in the builder function, and not in a function of a step`
      )
    const name = typeof written === 'string' ? written : ''
    const wrong = (problem: string) => said.problems.push(`step "${name}": ${problem}`)
    if (name === '') said.problems.push(`a step has no name: wanted a text, found ${shown(written)}`)
    else if (names.has(name)) wrong('this name is used twice')
    names.add(name)
    const { depends, problems, ...rest } = splitOptions(construct, options ?? {})
    for (const problem of problems) wrong(problem)
    const found = depends.flatMap((handle) => {
      const one = handles.get(Object(handle))
      if (one === undefined) wrong(strange(construct === 'handler' ? 'reads' : 'depends', handle))
      return one ?? []
    })
    for (const [asking, run] of Object.entries(rest.functions) as [Asking, Answering][]) // Object.entries loses the names
      said.bodies.push({ name: bodyName(dag, name, asking), kind: asking, run })
    return { construct, name, depends: [...new Set(found)], ...rest, what }
  }

  function strange(option: string, handle: unknown): string {
    if (typeof handle === 'string')
      return `${option}: wanted the handle that the builder returned for step "${handle}", found its name as text`
    const { name }: { name?: unknown } = Object(handle)
    if (typeof name !== 'string') return `${option}: wanted a handle of a step of this DAG, found ${shown(handle)}`
    return `${option}: the handle "${name}" is of another DAG; a step depends on steps of its own DAG: call the other one, and use its result`
  }

  function body(name: string, run: unknown): void {
    if (typeof run !== 'function') said.problems.push(`step "${name}": wanted a function, found ${shown(run)}`)
    else said.bodies.push({ name: bodyName(dag, name), kind: 'step', run: run as Answering }) // checked here
  }
  const withBody = (construct: 'step' | 'each') => (name: unknown, options: unknown, run: unknown) => {
    const handle = add(construct, name, options)
    body(handle.name, run)
    return handle
  }
  const lacks = (name: unknown, asking: Asking, options: unknown) => {
    if (typeof Object(options)[asking] !== 'function')
      said.problems.push(`step ${shown(name)}: ${asking}: wanted a function, found ${shown(Object(options)[asking])}`)
  }

  return {
    said,
    seal: () => {
      isSealed = true
    },
    builder: {
      step: withBody('step'),
      eachPage(name, options, run, collecting) {
        lacks(name, 'items', options)
        const { first, collect, problems } = readCollecting(collecting)
        for (const problem of problems) said.problems.push(`step ${shown(name)}: ${problem}`)
        const collected = bodyName(dag, String(name), 'collect')
        const handle = add('eachPage', name, options, collect ? { collect: collected } : {})
        body(handle.name, run)
        if (collect) said.bodies.push({ name: collected, kind: 'collect', run: fromFirst(first, collect) })
        return handle
      },
      each(name, options, run) {
        lacks(name, 'items', options)
        return withBody('each')(name, options, run)
      },
      repeat(name, options, run, passes) {
        const { first, decides, problems, policy } = readPasses(passes)
        for (const problem of problems) said.problems.push(`step ${shown(name)}: ${problem}`)
        const deciding = bodyName(dag, String(name), 'repeat')
        const handle = add('repeat', name, options, { ...policy, function: deciding })
        body(handle.name, typeof run === 'function' ? fromFirst(first, run as Answering) : run) // checked here
        if (decides) said.bodies.push({ name: deciding, kind: 'repeat', run: decides })
        return handle
      },
      handler(kind, options, run) {
        const found = HANDLER_KINDS.find((one) => one === kind)
        if (!found) said.problems.push(`handler: wanted one of ${HANDLER_KINDS.join(', ')}, found ${shown(kind)}`)
        else {
          said.handlers[found] = read('handler', HANDLER_NAMES[found], options)
          body(HANDLER_NAMES[found], run)
        }
      },
      use(name, fn, options) {
        lacks(name, 'params', options)
        const { name: called }: { name?: unknown } = Object(fn)
        if (typeof called !== 'string' || called === '')
          said.problems.push(`step ${shown(name)}: wanted a function of defineFunction, found ${shown(fn)}`)
        else said.uses.set(String(name), Object(fn))
        return add('use', name, options, called)
      },
      shell(name, command, options) {
        if (typeof command !== 'string' || command.trim() === '')
          said.problems.push(`step ${shown(name)}: wanted a command, found ${shown(command)}`)
        return add('shell', name, options, command)
      },
      yaml(name, fields, options) {
        for (const problem of fieldProblems(fields)) said.problems.push(`step ${shown(name)}: ${problem}`)
        return add('yaml', name, options, fields)
      },
      call(name, called, options) {
        lacks(name, 'params', options)
        const inside = insideOf(called)
        if (typeof called !== 'string' && !inside)
          said.problems.push(
            `step ${shown(name)}: wanted a DAG of defineDag or the name of a definition, found ${isFromElsewhere(called) ?? shown(called)}`
          )
        return add('call', name, options, inside ? inside.name : called)
      },
      callEach(name, called, options) {
        for (const asking of ['items', 'params'] as const) lacks(name, asking, options)
        const inside = insideOf(called)
        if (!inside)
          said.problems.push(
            `step ${shown(name)}: wanted a DAG of defineDag, found ${isFromElsewhere(called) ?? shown(called)}`
          )
        return add('callEach', name, withParams(options), inside?.name)
      },
      signal(name, options) {
        if (typeof name === 'string' && !signals.includes(name))
          said.problems.push(
            `step "${name}": it is no signal of this DAG: declare the schema of its payload under \`signals\`${didYouMean(name, signals)}`
          )
        return add('signal', name, options)
      },
      approval: (name, options) => add('approval', name, options),
      sleep(name, options) {
        if (Object(options).for === undefined)
          said.problems.push(`step ${shown(name)}: for: wanted a duration, an instant or a function, found nothing`)
        return add('sleep', name, options)
      }
    }
  }
}

/** Fields of a step must not say again what its options say. */
function fieldProblems(fields: unknown): string[] {
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields))
    return [`wanted fields of the definition format, found ${shown(fields)}`]
  return ['name', 'depends'].flatMap((name) =>
    Object.hasOwn(fields, name) ? [`${name}: say it in the call of the builder, not in the fields`] : []
  )
}
