/** What 2.x says once for all steps, and what runs before them: written out on the steps here. */
import { isMap, isSeq, type Node } from 'yaml'
import { renameAt } from './names.ts'
import { drop, type Entry, entryOf, mapIn, nameOf, type Pen, put, scalarText, textIn, type YamlMap } from './pen.ts'
import { stepsIn } from './release.ts'
import { translateContinue } from './steps.ts'

const REPLACED = ['retryPolicy', 'continueOn', 'repeatPolicy', 'timeoutSec', 'mailOnError', 'signalOnStop']
const ADDED = ['env', 'preconditions']

/** Calls back with each step of the definition as a map: a text becomes one. */
export function eachStep(pen: Pen, dag: YamlMap, change: (step: YamlMap, item: number) => void): void {
  const steps = entryOf(dag, 'steps')?.value
  const below = (value: unknown, item: number): unknown => {
    if (isSeq(value)) value.items = value.items.map((one) => below(one, item))
    const map = scalarText(value) === undefined ? value : pen.document.createNode({ command: scalarText(value) })
    if (isMap(map)) change(map as YamlMap, item)
    return map
  }
  if (isSeq(steps)) steps.items = steps.items.map(below)
  if (isMap(steps)) for (const entry of steps.items) entry.value = below(entry.value, 0)
}

/** `defaults`, which steps and handlers replace, or add to. */
export function spreadDefaults(pen: Pen, dag: YamlMap): void {
  const defaults = entryOf(dag, 'defaults')
  const map = mapIn(defaults)
  if (!defaults || !map || !entryOf(dag, 'steps')) return
  renameAt(pen, map, 'step')
  translateContinue(pen, map)
  const known = map.items.filter((entry) => [...REPLACED, ...ADDED].includes(nameOf(entry)))
  if (known.length === 0) return
  const onto = (step: YamlMap): void => {
    for (const entry of known) {
      const own = entryOf(step, nameOf(entry))
      if (!own) put(pen, step, nameOf(entry), copied(entry.value))
      else if (ADDED.includes(nameOf(entry)))
        own.value = pen.document.createNode([...listed(pen, entry.value), ...listed(pen, own.value)])
    }
  }
  eachStep(pen, dag, onto)
  for (const { value } of mapIn(entryOf(dag, 'handlerOn'))?.items ?? []) if (isMap(value)) onto(value as YamlMap)
  for (const entry of known) drop(map, entry)
  if (map.items.length === 0) drop(dag, defaults)
  for (const { key } of map.items)
    pen.say('left', key, `defaults.${scalarText(key)} has no counterpart here`, 'write it on each step', 'defaults')
  pen.say('translated', defaults.key, `defaults are written on each step: ${known.map(nameOf).join(', ')}`)
}

const copied = (value: unknown): unknown => (value as Node | null)?.clone?.() ?? value

/** Entries of a list, of a map, or the one value. */
export function listed(pen: Pen, value: unknown): unknown[] {
  if (isSeq(value)) return value.items.map(copied)
  const isCondition = isMap(value) && ['condition', 'command', 'expected'].some((name) => value.has(name))
  if (isMap(value) && !isCondition)
    return value.items.map(({ key, value }) => pen.document.createNode({ [String(scalarText(key))]: copied(value) }))
  return value === null || value === undefined ? [] : [copied(value)]
}

/** `consts` are variables of the definition; `${consts.X}` is `${X}`. */
export function translateConsts(pen: Pen, dag: YamlMap): void {
  const consts = entryOf(dag, 'consts')
  const own = consts && listed(pen, consts.value)
  if (!consts || !own?.every(isMap)) return
  const env = entryOf(dag, 'env')
  if (/[$`]/.test(String(own.map((one) => JSON.stringify(one)))))
    pen.say(
      'note',
      consts.key,
      'a const is taken as it is written there; in env what begins with $ or stands in backticks is evaluated',
      'leave out what is not to be evaluated'
    )
  put(pen, dag, 'env', [...own, ...(env ? listed(pen, env.value) : [])], consts)
  drop(dag, env)
  pen.say('translated', consts.key, 'consts are env')
}

/** `handler_on.init` is the first step, which every other one waits for. */
export function translateInit(pen: Pen, dag: YamlMap): void {
  const handlers = entryOf(dag, 'handlerOn')
  const init = mapIn(handlers) && entryOf(mapIn(handlers) as YamlMap, 'init')
  const steps = entryOf(dag, 'steps')
  if (!handlers || !init || !isMap(init.value) || !steps) return
  const taken = new Set(stepsIn(dag).flatMap((step) => ['name', 'id'].map((name) => textIn(entryOf(step, name)))))
  if (isMap(steps.value)) for (const entry of steps.value.items) taken.add(nameOf(entry as Entry))
  const name = ['init', 'init_handler', 'init_step'].find((one) => !taken.has(one)) ?? 'first_init'
  eachStep(pen, dag, (step) => {
    const depends = entryOf(step, 'depends')
    const waits = isSeq(depends?.value) ? depends.value.items.length > 0 : Boolean(textIn(depends))
    if (!waits) put(pen, step, 'depends', [name], depends)
  })
  const step = init.value as YamlMap
  if (isSeq(steps.value)) {
    drop(step, entryOf(step, 'name'))
    step.items.unshift(pen.document.createPair('name', name))
    steps.value.items.unshift(step)
  } else if (isMap(steps.value)) steps.value.items.unshift(pen.document.createPair(name, step))
  const map = mapIn(handlers)
  if (map) drop(map, init)
  if (map?.items.length === 0) drop(dag, handlers)
  pen.say('translated', init.key, `handlerOn.init is the first step, ${name}`)
}
