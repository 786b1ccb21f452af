/** The texts of a step that hold references, by what they are for, and the names that they refer to. */
import type { Step } from '../../../../machines/vocabulary.ts'
import type { Variables } from './variables.ts'

export interface WrittenText {
  name: string
  written: string
}

/** What a step does, in the order in which a reader asks. */
export function textsOf(step: Step): WrittenText[] {
  const { command, argv, args, script, dir, call, params, parallel, each, stdout, stderr, wait, repeat } = step
  const items = parallel?.items ?? each?.items
  const texts: [string, string | undefined][] = [
    ['command', [...(argv ?? (command === undefined ? [] : [command])), ...args].join(' ')],
    ['script', script],
    ['call', call],
    ...(params ?? []).map(({ name, value }): [string, string] => [`params.${name}`, value]),
    ['items', typeof items === 'string' || items === undefined ? items : JSON.stringify(items)],
    ['dir', dir],
    ['stdout', stdout],
    ['stderr', stderr],
    ['ask', wait?.ask],
    ['for', wait?.for],
    ...step.preconditions.map(({ condition }): [string, string] => ['precondition', condition]),
    ['repeat', repeat?.condition?.condition ?? repeat?.function]
  ]
  return texts.flatMap(([name, written = '']) => (written === '' ? [] : [{ name, written }]))
}

/** Characters that are searched for names. */
const MOST_SEARCHED = 100_000

/** `$X`, `${X}`, and how other languages read their environment: `environ["X"]`, `env.X`, `getenv('X')`. */
const NAMED = /\$\{?[#!]?(\w+)|(?:environ|getenv|\benv)\W{1,4}(\w+)/gi

/** The variables that a step names, those that these are made of included. */
export function namesIn(step: Step, variables: Variables): Set<string> {
  const own = step.env.map(({ key, value }) => `$${key} ${value}`)
  const config = JSON.stringify(step.executor.config)
  const texts = [...textsOf(step).map(({ written }) => written), ...own, config].join('\n')
  const used = new Set<string>()
  const note = (text: string) => {
    for (const [, plain, read] of text.slice(0, MOST_SEARCHED).matchAll(NAMED)) used.add(plain ?? read ?? '')
  }
  note(texts)
  // What is added meanwhile is looked at, too.
  for (const name of used) note(variables.get(name)?.written ?? '')
  return used
}
