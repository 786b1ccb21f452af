/** Server-sent events, read with `fetch`, which can send credentials; after a disconnect it resumes after the last event. Source: api-semantics 12. */
import { LATEST } from '../api/contract/names.ts'
import type { Operation } from '../api/contract/operation.ts'
import type { JournalEvent } from '../api/contract/run-shapes.ts'
import type { Answer } from '../api/contract/transport.ts'
import type { Shape } from '../schema/schema.ts'
import { ApiError, UnexpectedAnswer } from './api-error.ts'
import { pause } from './pause.ts'
import { type CallArguments, type ClientOptions, checkOptions, placeOf, send, textIn } from './request.ts'

/** A transition with its id; or how many were missed, because they are no longer kept. */
export type Told = { id: string; event: Shape<typeof JournalEvent> } | { missed: number }

const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 15_000

/**
 * Events from `query.after` on, forever unless `query.follow` is false. After a lost connection, or a response of 500 or
 * above, it retries after half a second, then twice that, up to 15 s.
 * @throws TypeError (path, baseUrl, headers), ApiError, UnexpectedAnswer for a response below 500 that is no stream. An abort ends it without an error.
 */
export async function* eventsOf(
  options: ClientOptions,
  operation: Operation,
  input: CallArguments
): AsyncGenerator<Told, void, undefined> {
  const { signal, query = {} } = input
  const { resumes = true } = options
  // Unlike a lost connection, a wrong argument does not heal with time.
  placeOf(operation.path, input.path ?? {})
  if (resumes) checkOptions(options)
  let path = input.path
  let last: string | undefined
  let wait = FIRST_WAIT_MS
  let hasBegun = false
  while (!signal?.aborted) {
    try {
      const more = last === undefined ? {} : { 'Last-Event-ID': last }
      const stream = await openEvents(options, operation, { ...input, ...(path ? { path } : {}) }, more)
      hasBegun = true
      for await (const told of stream) {
        if ('id' in told) {
          last = told.id
          // The id belongs to this run, and another one may be the latest after a reconnect.
          if (path?.dagRunId === LATEST) path = { ...path, dagRunId: told.event.dagRunId }
        }
        wait = FIRST_WAIT_MS
        yield told
      }
      if (query.follow === false || !resumes) return
    } catch (error) {
      if (signal?.aborted) return
      if (!resumes) throw error
      if ((error instanceof ApiError || error instanceof UnexpectedAnswer) && !mayPass(error.status, hasBegun))
        throw error
    }
    await pause(wait, signal)
    wait = Math.min(2 * wait, LONGEST_WAIT_MS)
  }
}

/** One stream; resolves when the server has begun it, and nothing is missed from then on. */
export const openEvents = async (...request: Parameters<typeof send>): Promise<AsyncGenerator<Told, void, undefined>> =>
  toldIn(await send(...request))

/**
 * Whether an error may be temporary.
 * @param hasBegun there was a stream before, which the server may still count (429)
 */
const mayPass = (status: number, hasBegun: boolean): boolean => status >= 500 || (status === 429 && hasBegun)

/** @throws UnexpectedAnswer: the response is not from the API; retrying would not help */
async function* toldIn(response: Answer): AsyncGenerator<Told, void, undefined> {
  const type = response.headers.get('content-type') ?? 'nothing'
  if (!type.startsWith('text/event-stream')) {
    response.body?.cancel().catch(() => undefined)
    throw new UnexpectedAnswer(response.status, `wanted text/event-stream, found ${type}`)
  }
  let text = ''
  for await (const more of textIn(response)) {
    const blocks = (text + more).split('\n\n')
    text = blocks.pop() ?? ''
    for (const block of blocks) {
      const told = toldBy(block)
      if (told) yield told
    }
  }
}

/** Undefined: a comment. */
function toldBy(block: string): Told | undefined {
  const fields = new Map(
    block.split('\n').flatMap((line): [string, string][] => {
      const [, name = '', value = ''] = /^(\w+): ?(.*)$/.exec(line) ?? []
      return name === '' ? [] : [[name, value]]
    })
  )
  const data = fields.get('data')
  if (data === undefined) return undefined
  const content = JSON.parse(data)
  return fields.get('event') === 'gap' ? { missed: content.missed } : { id: fields.get('id') ?? '', event: content }
}
