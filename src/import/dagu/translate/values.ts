/** Keys of a definition that both know, and whose values are others in 1.24 to 2.x. */
import { isMap, isSeq } from 'yaml'
import { cureOf } from './cures.ts'
import { drop, type Entry, entryOf, mapIn, nameOf, type Pen, put, textIn, type YamlMap } from './pen.ts'
import { sayEval } from './steps.ts'

/** `labels` of 2.x are `tags`; a map of them is a list of `key=value`. */
export function translateLabels(pen: Pen, dag: YamlMap): void {
  const labels = entryOf(dag, 'labels')
  if (labels && !entryOf(dag, 'tags')) pen.rename(labels, 'tags')
  const tags = entryOf(dag, 'tags')
  if (!tags) return
  const list = (items: readonly unknown[]) =>
    items.flatMap((item) => (isMap(item) ? (item as YamlMap).items.map(pairText) : [item]))
  if (isMap(tags.value)) {
    put(pen, dag, 'tags', list([tags.value]), tags)
    pen.say('translated', tags.key, 'tags as a map are a list of key=value')
  } else if (isSeq(tags.value) && tags.value.items.some(isMap)) {
    put(pen, dag, 'tags', list(tags.value.items), tags)
    pen.say('translated', tags.key, 'tags with a map are a list of key=value')
  } else {
    const text = textIn(tags)
    if (!text?.includes('=') || text.includes(',') || !/\s/.test(text.trim())) return
    put(pen, dag, 'tags', text.trim().split(/\s+/), tags)
    pen.say('translated', tags.key, 'tags with blanks between them are a list')
  }
}

const pairText = (entry: Entry): string => `${nameOf(entry)}=${textIn(entry) ?? ''}`

/** Entries such as `{kind: cron, expression: "0 2 * * *"}` are their expression. */
export function translateSchedule(pen: Pen, dag: YamlMap): void {
  const schedule = entryOf(dag, 'schedule')
  if (!schedule) return
  const plainIn = (value: unknown): unknown => {
    if (isSeq(value)) value.items = value.items.map(plainIn)
    if (!isMap(value)) return value
    const map = value as YamlMap
    const cron = entryOf(map, 'expression')
    if (cron) {
      pen.say('translated', cron.key, 'a schedule with an expression is that text')
      return cron.value
    }
    const at = entryOf(map, 'at')
    if (at)
      pen.say(
        'left',
        at.key,
        `a start at one instant (${textIn(at) ?? ''}) has no counterpart`,
        'take it out, and start it then: troupe enqueue NAME by at(1), or a first step of type sleep',
        'schedule'
      )
    return value
  }
  const map = mapIn(schedule)
  if (map && ['start', 'stop', 'restart'].some((name) => entryOf(map, name)))
    for (const entry of map.items) entry.value = plainIn(entry.value)
  else schedule.value = plainIn(schedule.value)
}

/** Values of 2.x at keys that are known here. */
export function translateValues(pen: Pen, dag: YamlMap): void {
  const selector = entryOf(dag, 'workerSelector')
  if (selector && textIn(selector) === 'local') {
    drop(dag, selector)
    pen.say(
      'translated',
      selector.key,
      'workerSelector: local is left out: without labels a run is not for certain workers'
    )
  }
  const container = entryOf(dag, 'container')
  if (textIn(container) !== undefined)
    pen.say(
      'left',
      container?.key,
      'a running container has no place here for all steps',
      `write container: ${textIn(container)} on each step that is to run in it`,
      'container'
    )
  const secrets = entryOf(dag, 'secrets')?.value
  if (isSeq(secrets))
    for (const [index, secret] of secrets.items.entries())
      if (isMap(secret)) secretOf(pen, secret as YamlMap, `secrets[${index}]`)
  sayEval(pen, dag, '')
  const mailOn = mapIn(entryOf(dag, 'mailOn'))
  const onWait = mailOn && entryOf(mailOn, 'wait')
  if (onWait)
    pen.say(
      'left',
      onWait.key,
      'mailOn.wait has no counterpart here',
      'write a notification for run.waiting: see docs/notifications.md',
      'mailOn.wait'
    )
  const type = entryOf(dag, 'type')
  if (textIn(type) === 'agent')
    pen.say('left', type?.key, 'a definition of type agent has no counterpart here', cureOf('agent'), 'type')
}

/** Providers of secrets that are programs here. */
function secretOf(pen: Pen, secret: YamlMap, path: string): void {
  const provider = textIn(entryOf(secret, 'provider'))
  if (entryOf(secret, 'ref') || !['env', 'file', 'command', 'host'].includes(provider ?? ''))
    pen.say(
      'left',
      secret,
      `the secret ${textIn(entryOf(secret, 'name')) ?? ''} ${entryOf(secret, 'ref') ? 'is a reference to one that Dagu keeps' : `of ${provider ?? 'no provider'} has no counterpart here`}`,
      'write provider: command, and as key a command that prints it, such as vault kv get -field=NAME PATH; or provider: env or file',
      path
    )
}
