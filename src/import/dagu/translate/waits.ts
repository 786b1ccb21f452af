/** Actions of 2.x that wait: for a time, a file, an address, a person. */
import { entryOf, mapIn, put, scalarText, type Translate, textIn } from './pen.ts'
import { quoted, quotedPath, settingsIn } from './quoted.ts'

const GO_DURATION = /^(?:(\d+)h)?(?:(\d+)m)?(?:(\d+(?:\.\d+)?)s)?(?:(\d+)ms)?$/

/** Seconds of `1h30m` or `500ms` of Go. */
function secondsOf(text: string): number | undefined {
  const found = GO_DURATION.exec(text)
  if (!found?.[0]) return undefined
  const [, hours = 0, minutes = 0, seconds = 0, millis = 0] = found
  return Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds) + Number(millis) / 1000
}

/** `1h30m` is `PT1H30M` of ISO 8601, which has no letter for milliseconds. */
const duration: Translate = (pen, step, settings, entry) => {
  const text = settingsIn(settings).text('duration') ?? ''
  const seconds = secondsOf(text)
  if (seconds === undefined) return false
  const whole = text.endsWith('ms') ? `${seconds}S` : text.toUpperCase()
  put(pen, step, 'executor', { type: 'sleep', config: { for: `PT${whole}` } }, entry)
  return true
}

const until: Translate = (pen, step, settings, entry) => {
  const text = settingsIn(settings).text('until')
  if (text === undefined) return false
  put(pen, step, 'executor', { type: 'sleep', config: { for: text } }, entry)
  return true
}

/** Nothing is done, until a condition holds. */
function polling(condition: string, interval: string | undefined): Translate {
  return (pen, step, _, entry) => {
    const seconds = secondsOf(interval ?? '1s')
    if (seconds === undefined || entryOf(step, 'repeatPolicy')) return false
    put(pen, step, 'command', 'true', entry)
    put(pen, step, 'repeatPolicy', { repeat: 'until', condition, intervalSec: Math.max(1, Math.ceil(seconds)) })
    return true
  }
}

const file: Translate = (pen, step, settings, entry) => {
  const { text, hasOthers } = settingsIn(settings)
  const path = text('path')
  const state = text('state') ?? 'exists'
  if (path === undefined || !['exists', 'missing'].includes(state) || hasOthers('path', 'state', 'poll_interval'))
    return false
  const test = `test ${state === 'missing' ? '! ' : ''}-e ${quotedPath(path)}`
  return polling(test, text('poll_interval'))(pen, step, settings, entry)
}

const http: Translate = (pen, step, settings, entry) => {
  const { text, hasOthers } = settingsIn(settings)
  const url = text('url')
  const limit = secondsOf(text('request_timeout') ?? '10s')
  if (url === undefined || limit === undefined) return false
  if (hasOthers('url', 'method', 'status', 'headers', 'body', 'poll_interval', 'request_timeout')) return false
  const headers = settings && mapIn(entryOf(settings, 'headers'))
  const body = text('body')
  const words = [
    'curl -s -o /dev/null',
    `-m ${limit}`,
    `-X ${text('method') ?? 'GET'}`,
    ...(headers?.items ?? []).map(({ key, value }) => `-H ${quoted(`${scalarText(key)}: ${scalarText(value) ?? ''}`)}`),
    ...(body === undefined ? [] : [`--data-binary ${quoted(body)}`]),
    "-w '%{http_code}'",
    quoted(url)
  ]
  const isThere = polling(`test "$(${words.join(' ')})" = ${text('status') ?? '200'}`, text('poll_interval'))
  return isThere(pen, step, settings, entry)
}

// D1694: a human task is an approval, or with a form a signal
/** A task without a form is an approval, which may also be refused; with one, a signal whose payload is the form. */
const human: Translate = (pen, step, settings, entry) => {
  if (settingsIn(settings).hasOthers('prompt', 'form')) return false
  const ask = settingsIn(settings).text('prompt') ?? ''
  const form = settings && mapIn(entryOf(settings, 'form'))
  if (!form) {
    put(pen, step, 'executor', { type: 'approval', config: { ask } }, entry)
    return true
  }
  const id = textIn(entryOf(step, 'id'))
  const schema = form.toJS(pen.document)
  if (schema.additionalProperties === undefined) schema.additionalProperties = false
  put(pen, step, 'executor', { type: 'signal', config: { ask, payloadSchema: schema } }, entry)
  if (id !== undefined) {
    const variable = `${id.replaceAll('-', '_')}_form`
    put(pen, step, 'output', variable, entryOf(step, 'output'))
    pen.forms.set(id, variable)
  }
  return true
}

export const WAITS: Record<string, Translate> = {
  'wait.duration': duration,
  'wait.until': until,
  'wait.file': file,
  'wait.http': http,
  'human.task': human
}
