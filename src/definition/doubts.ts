/**
 * Likely mistakes in a valid definition: references that nothing defines, no steps. Never an error. It avoids false alarms: names of
 * the server's environment count as known, and texts that can set variables invisibly (`source`, `eval`, a login shell, another
 * language) are skipped.
 */
import type { MailTarget, Plan, Step } from '../../machines/vocabulary.ts'
import { nearest } from '../nearest.ts'
import { shortened } from './problems.ts'
import { readerBy } from './shell/shell.ts'
import { shellNames } from './shell/shell-names.ts'

/** A name that a text of the definition refers to and nothing in the definition defines. */
export interface Unknown {
  name: string
  /** The first place of the name, in the author's terms: `step greet`, `env`. */
  where: string
}

/** Doubts shown of one definition or start. */
const MOST = 20
/** UTF-16 units of a definition's texts that are checked; the rest is skipped, so that a large one blocks nobody. */
const MOST_TEXT = 64 * 1024

// D547: warnings about probable mistakes prefer silence to a false alarm
/** Names that the plan's texts refer to, without a param, `env`, output, secret or step of that name. In the order of the text. */
export function unknownNames(plan: Plan): readonly Unknown[] {
  const known = found.get(plan)
  if (known) return known
  const { variables, steps } = definedIn(plan)
  const isOpen = [plan, ...plan.locals].some(({ paramSchema }) => paramSchema !== undefined) // it defines params, too
  const unknown = new Map<string, Unknown>()
  let left = MOST_TEXT
  for (const { text, where, isShell } of isOpen ? [] : textsOf(plan)) {
    left -= text.length
    if (left < 0) break
    for (const name of isShell ? shellNames(text) : fieldNames(text)) {
      const isDefined = variables.has(name) || steps.has(name) || KNOWN_TO_SHELLS.test(name)
      if (!isDefined && !unknown.has(name)) unknown.set(name, { name, where })
    }
  }
  const all = [...unknown.values()]
  found.set(plan, all)
  return all
}
/** Cached: a stored definition is read once and started often. */
const found = new WeakMap<Plan, readonly Unknown[]>()

/**
 * Sentences about a definition, and about the params of a start.
 * @param passed names of the params that a start gives; absent: it is not started
 * @param isKnown whether something outside of the definition defines a name: the server's environment, a dotenv file
 */
export function doubts(plan: Plan, isKnown: (name: string) => boolean, passed: readonly string[] = []): string[] {
  const { steps, handlers, params } = plan
  const taken = new Set(passed)
  const undeclared = passed.filter((name) => !isDeclared(plan, name))
  const unknown = unknownNames(plan).filter(({ name }) => !taken.has(name) && !isKnown(name))
  const declared = params.map(({ name }) => name)
  const unsentMails = [plan, ...plan.locals].flatMap((one) => unsent(one, one === plan ? '' : `${one.name}: `))
  const sentences = unsentMails.slice(0, MOST)
  for (const name of undeclared.slice(0, MOST - sentences.length)) {
    const hint = (/^\d+$/.test(name) ? undefined : meant(name, declared)) ?? listed(declared)
    sentences.push(`the parameter ${shortened(name)} is not declared, and nothing refers to it${hint}`)
  }
  const names = unknown.length > 0 ? [...definedIn(plan).variables] : []
  for (const { name, where } of unknown.slice(0, MOST - sentences.length))
    sentences.push(`${where}: nothing defines ${shortened(name)}${meant(name, names) ?? ''}`)
  const more = unsentMails.length + undeclared.length + unknown.length - sentences.length
  if (more > 0) sentences.push(`and ${more} more like these`)
  if (steps.length === 0)
    sentences.unshift(
      `the definition has no steps${Object.keys(handlers).length > 0 ? ', only handlers' : ': a run of it does nothing'}`
    )
  return sentences
}

/** Mails that the definition asks for, and that no run of it can send. */
function unsent({ mailOn, errorMail, infoMail, smtp, steps, handlers }: Plan, of: string): string[] {
  const onError = [...steps, ...Object.values(handlers)].find(({ mailOnError }) => mailOnError)
  const asked: [key: string, isAsked: boolean, field: string, target: MailTarget | undefined][] = [
    ['mailOn.failure', mailOn.failure, 'errorMail', errorMail],
    ['mailOn.success', mailOn.success, 'infoMail', infoMail],
    [`mailOnError of step ${onError?.name}`, onError !== undefined, 'errorMail', errorMail]
  ]
  return asked.flatMap(([key, isAsked, field, target]) => {
    if (!isAsked) return []
    const lacks = [target?.from ? '' : `${field}.from`, target?.to.length ? '' : `${field}.to`, smtp ? '' : 'smtp']
    const missing = lacks.filter(Boolean).join(', ')
    return missing === ''
      ? []
      : [`${of}${key}: no mail can be sent without ${missing}, here or in the base configuration`]
  })
}

/** Shorter names are all similar; longer ones are not typing mistakes. */
const SHORT = 3
const LONG = 64

function meant(name: string, known: readonly string[]): string | undefined {
  const near = name.length < SHORT || name.length > LONG ? undefined : nearest(name, known)
  return near === undefined ? undefined : `; did you mean ${near}?`
}

const listed = (names: readonly string[]) =>
  names.length === 0 ? '; the definition has none' : `; it has ${shortened(names.slice(0, 10).join(', '))}`

/** A param that a text mentions is used, declared or not; a schema may declare more than the definition. */
const isDeclared = (plan: Plan, name: string): boolean =>
  plan.paramSchema !== undefined || plan.params.some((param) => param.name === name) || mentions(plan).has(name)

/** Every word of the texts of a plan, and positions that follow a `$`. */
function mentions(plan: Plan): Set<string> {
  const known = words.get(plan)
  if (known) return known
  const all = new Set(
    JSON.stringify(plan)
      .match(/\$\{?\d+|[A-Za-z_]\w*/g)
      ?.map((word) => word.replace(/^\$\{?/, ''))
  )
  words.set(plan, all)
  return all
}
const words = new WeakMap<Plan, Set<string>>()

/** Variables of every step, and those that shells set. */
const KNOWN_TO_SHELLS =
  /^(\d+|_|(DAG|ENGINE|LC|BASH|ZSH|EPOCH|COMP|HIST)_?\w*|PATH|HOME|LANG|LANGUAGE|TZ|SHELL|PWD|OLDPWD|IFS|PS\d|E?UID|GROUPS|PPID|S?RANDOM|SECONDS|LINENO|HOSTNAME|HOSTTYPE|OSTYPE|MACHTYPE|FUNCNAME|DIRSTACK|OPT\w+|REPLY|PIPESTATUS|SHELLOPTS|SHLVL|COLUMNS|LINES|TERM|MAPFILE|COPROC|TMOUT|TRACE\w+|ITEM)$/

/** Names of the whole file: a local workflow sees those of the one that calls it, and either may be called by the other. */
function definedIn(plan: Plan): { variables: Set<string>; steps: Set<string> } {
  const names = new Set<string>()
  const steps = new Set<string>()
  for (const one of [plan, ...plan.locals]) {
    for (const { name } of [...one.params, ...one.secrets]) names.add(name)
    for (const { key } of one.env) names.add(key)
    for (const step of [...one.steps, ...Object.values(one.handlers)]) {
      steps.add(step.name).add(step.id ?? step.name)
      if (step.output !== undefined) names.add(step.output)
      for (const { key } of step.env) names.add(key)
      for (const { name } of step.params ?? []) names.add(name)
    }
  }
  return { variables: names, steps }
}

interface Text {
  text: string
  where: string
  isShell: boolean
}

function* textsOf(plan: Plan): Iterable<Text> {
  for (const one of [plan, ...plan.locals]) {
    const of = one === plan ? '' : `${one.name}: `
    for (const { key, value } of one.env) yield { text: value, where: `${of}env ${key}`, isShell: false }
    for (const { name, value } of one.params) yield { text: value, where: `${of}param ${name}`, isShell: false }
    // A function of the host application names the variables of such a step.
    for (const step of [...one.steps, ...Object.values(one.handlers)])
      if (step.functions?.env === undefined) yield* textsOfStep(step, one, `${of}step ${step.name}`)
  }
}

function* textsOfStep(step: Step, plan: Plan, where: string): Iterable<Text> {
  const { command, argv, script, dir, stdout, stderr, env, call, params = [], parallel, preconditions, executor } = step
  const items = typeof parallel?.items === 'string' ? parallel.items : undefined
  const fields = [
    dir,
    stdout,
    stderr,
    call,
    items,
    ...env.map(({ value }) => value),
    ...params.map(({ value }) => value)
  ]
  for (const text of fields) if (text !== undefined) yield { text, where, isShell: false }
  for (const { condition, expected } of preconditions) if (expected) yield { text: condition, where, isShell: false }
  if (executor.type !== 'shell' || !isPlainShell(step.shell ?? plan.shell ?? ['sh'])) return
  for (const { condition, expected } of preconditions) if (!expected) yield { text: condition, where, isShell: true }
  if (script === undefined) for (const text of argv ?? [command ?? '']) yield { text, where, isShell: true }
  else if (command === undefined && argv === undefined && isForShell(script))
    yield { text: script, where, isShell: true }
}

/** A login or interactive shell reads files that may set any variable. */
const isPlainShell = ([program = 'sh', ...flags]: string[]): boolean =>
  readerBy([program]) === 'shell' && !flags.some((flag) => /^(-\w*[li]|--login|--rcfile|--init-file)/.test(flag))

/** Whether a script without a named program is for a sh-like shell. */
const isForShell = (script: string): boolean =>
  !/^\s*#!/.test(script) || /^\s*#!\s*(\/usr\/bin\/env )?[\w/]*\b(sh|bash|dash|ksh|zsh)\s*\n/.test(script)

const REFERENCE = /\\[\s\S]|'\$\{?\w+[^']*'|\$(?:\{(\w+)(?:\.[^{}$`\n]*)?\}|(\w+))/g

/** Names that a field refers to; none where a command in it may set some. */
function fieldNames(text: string): string[] {
  if (text.includes('`') || text.includes('$(')) return []
  return Array.from(text.matchAll(REFERENCE), ([, braced, bare]) => braced ?? bare ?? '').filter(Boolean)
}
