/**
 * All runs that match, of any number: written as they are read, at the pace of the client, so that a list of a hundred
 * thousand needs no more memory than one of a thousand. Source: http-api "Runs (global)", api-semantics 3.6, T9.
 */
import { pipeline, Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import type { ParameterizedContext } from 'koa'
import { nextTurn, systemClock } from '../../clock.ts'
import type { Engine, RunFilter } from '../../engine/engine.ts'
import { type PageOfRuns, runsAfter } from '../input/pages.ts'
import type { SummaryOf } from './run-rows.ts'

/** Runs per read; up to so many the answer is an ordinary one. */
const AT_ONCE = 500

// D230: long lists of runs are streamed
/** Answers with `{dagRuns}`. */
export async function answerRuns(
  ctx: ParameterizedContext,
  engine: Pick<Engine, 'runsPart'>,
  filter: RunFilter,
  summary: SummaryOf
): Promise<void> {
  const first = await runsAfter(engine, filter, AT_ONCE, undefined)
  if (first.nextCursor === null) {
    ctx.body = { dagRuns: first.page.map(summary) }
    return
  }
  answerTexts(ctx, texts(engine, filter, summary, first))
}

/** Answers with JSON that is made in parts. */
export function answerTexts(ctx: ParameterizedContext, texts: AsyncGenerator<string>): void {
  const body = Readable.from(texts, { objectMode: false })
  const isGzip = ctx.acceptsEncodings('gzip', 'identity') === 'gzip'
  // An error, or a client that disconnects, ends both.
  ctx.body = isGzip ? pipeline(body, createGzip(), () => {}) : body
  ctx.type = 'application/json; charset=utf-8'
  ctx.vary('Accept-Encoding')
  if (isGzip) ctx.set('Content-Encoding', 'gzip')
}

/** The answer in parts; yields to the event loop in between. */
async function* texts(
  engine: Pick<Engine, 'runsPart'>,
  filter: RunFilter,
  summary: SummaryOf,
  first: PageOfRuns
): AsyncGenerator<string> {
  yield '{"dagRuns":['
  let comma = ''
  for (let part = first; ; part = await runsAfter(engine, filter, AT_ONCE, part.nextCursor)) {
    if (part.page.length > 0) yield comma + part.page.map((run) => JSON.stringify(summary(run))).join()
    if (part.page.length > 0) comma = ','
    if (part.nextCursor === null) break
    await nextTurn(systemClock)
  }
  yield ']}'
}
