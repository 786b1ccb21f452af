/** `http` steps: one request; status, headers and body to stdout. Source: execution-semantics 10.4; reliability R18. */
import type { Json } from '../../../machines/vocabulary.ts'
import type { Clock } from '../../clock.ts'
import { writtenJson } from '../../definition/text/exact-json.ts'
import { messageOf } from '../../errors.ts'
import type { Execution } from '../executor.ts'
import { configValues } from '../frame/config-values.ts'
import { ExecutionError, type Work } from '../frame/in-process.ts'
import { masksIn } from '../frame/masked-json.ts'
import { write } from '../frame/step-output.ts'
import { asJson, headerLines, isSuccess, jsonBody } from './answer.ts'
import { contentOf } from './content.ts'
import type { EgressGuard } from './egress.ts'
import { openExchange, shownUrl } from './exchange.ts'
import { type Answer, canonicalName, type Request } from './messages.ts'

/** Limits of a decoded body: one that is streamed to the log, and one that is buffered for JSON. */
const MAX_BODY_BYTES = 256 * 1_048_576
const MAX_JSON_BYTES = 32 * 1_048_576
const AS_COMMAND = 'http executor requires "<METHOD> <URL>"'

export interface HttpLimits {
  bodyBytes: number
  jsonBytes: number
}

const LIMITS: HttpLimits = { bodyBytes: MAX_BODY_BYTES, jsonBytes: MAX_JSON_BYTES }

interface HttpRequest extends Request {
  shown: string
  timeoutMs: number
  silent: boolean
  json: boolean
  debug: boolean
}

// D603: http: bodies are limited and local hosts bypass the proxy
/** Resolves with 0 for a status of 2xx. @throws Error otherwise */
export async function http(work: Work, clock: Clock, limits = LIMITS, guard?: EgressGuard): Promise<number> {
  const request = requestOf(work.execution)
  const late = new AbortController()
  const cancel = request.timeoutMs > 0 ? clock.after(request.timeoutMs, () => late.abort()) : () => {}
  const exchange = await openExchange(request.skipTlsVerify, guard)
  const trace = request.debug ? (line: string) => write(work.stderr, `${line}\n`) : async () => {}
  try {
    const answer = await exchange.send(request, AbortSignal.any([work.signal, late.signal]), trace)
    await report(answer, request, work, limits)
    if (isSuccess(answer)) return 0
    throw new ExecutionError(1, `http status code not 2xx: ${answer.status}`)
  } catch (error) {
    if (error instanceof ExecutionError || work.signal.aborted) throw error
    const cause = late.signal.aborted ? `timed out after ${request.timeoutMs / 1_000}s` : reasonOf(error)
    throw new ExecutionError(1, `${request.method} ${request.shown}: ${cause}`, { cause: error })
  } finally {
    cancel()
    exchange.close()
  }
}

async function report(
  received: Answer,
  { silent, json }: HttpRequest,
  { execution, stdout, stderr }: Work,
  { bodyBytes, jsonBytes }: HttpLimits
): Promise<void> {
  const limit = json ? { bytes: jsonBytes, about: ' for json: true' } : { bytes: bodyBytes, about: '' }
  const { answer, note } = await contentOf(received, limit, execution.env.PATH)
  if (note) await write(stderr, `${note}\n`)
  const quiet = silent && isSuccess(answer)
  if (json) {
    const body = await jsonBody(answer)
    return write(stdout, asJson(quiet ? undefined : answer, body, masksIn(execution.masking)))
  }
  if (!quiet) await write(stdout, headerLines(answer))
  for await (const chunk of answer.body) await write(stdout, chunk)
}

/** The request of command, config and script. @throws Error with what is wrong */
function requestOf({ words = [], config, script, masking }: Execution): HttpRequest {
  const [method, address] = words
  if (!method || !address) throw new Error(`${AS_COMMAND}, found "${words.join(' ')}"`)
  const values = configValues(script?.trim() ? configIn(script) : (config ?? {}))
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (!url || !/^https?:$/.test(url.protocol))
    throw new Error(`${AS_COMMAND} with a URL that begins with http:// or https://`)
  for (const [name, value] of values.pairs('query') ?? []) url.searchParams.append(name, value)
  const headers = headersOf(values.pairs('headers') ?? [])
  const body = values.text('body') || undefined
  if (body !== undefined && !headers.has('Content-Type')) headers.set('Content-Type', 'text/plain; charset=utf-8')
  if (!headers.has('User-Agent')) headers.set('User-Agent', 'troupe')
  const timeout = values.number('timeout') ?? 0
  if (timeout < 0) throw new Error('config.timeout: wanted seconds, 0 for none; found less than 0')
  return {
    method: method.toUpperCase(),
    url,
    shown: shownUrl(address),
    headers,
    ...(body === undefined ? {} : { body }),
    skipTlsVerify: values.flag('skipTLSVerify') ?? false,
    isSecret: (text) => masking?.secrets.hidesIn(text) ?? false,
    timeoutMs: timeout * 1_000,
    silent: values.flag('silent') ?? false,
    json: values.flag('json') ?? false,
    debug: values.flag('debug') ?? false
  }
}

/** Several values of one name are equivalent to one list. Source: RFC 9110 5.3, 6265 5.4. */
function headersOf(pairs: [string, string][]): Map<string, string> {
  const headers = new Map<string, string>()
  for (const [written, value] of pairs) {
    const name = canonicalName(written)
    const before = headers.get(name)
    headers.set(name, before === undefined ? value : `${before}${name === 'Cookie' ? '; ' : ', '}${value}`)
  }
  return headers
}

function configIn(script: string): { [key: string]: Json } {
  let parsed: Json | undefined
  try {
    parsed = writtenJson(script)
  } catch {
    parsed = undefined
  }
  if (parsed && typeof parsed === 'object' && !Array.isArray(parsed)) return parsed
  throw new Error('the script of an http step replaces its config: it must hold a JSON object')
}

/** Refused connections to several addresses are one error without a message. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return error.errors.map(reasonOf).join('; ')
  return messageOf(error)
}
