/** The last lines of the output of a run, while it grows. */
import type { RunKey } from '../../../machines/vocabulary.ts'
import type { CliContext } from '../context.ts'
import type { Listener } from '../output/listener.ts'
import { runOf } from '../owner/known-runs.ts'
import type { OpenClient } from '../owner/opened.ts'

/** Lines that are kept. */
const KEPT = 5_000

export interface RunLog {
  readonly lines: readonly string[]
  /** Resolves when the run has ended, or the log was closed. @throws TroupeError */
  done: Promise<void>
  close(): void
}

/** @param open gets the client that it uses, and closes @param charset of the logs @param changed told when there are more lines */
export function openRunLog(
  open: () => Promise<OpenClient>,
  key: RunKey,
  { context, charset, changed }: { context: CliContext; charset: string; changed(): void }
): RunLog {
  const { clock } = context
  const lines: string[] = []
  const enough = new AbortController()
  const listener: Listener = {
    async lines({ label }, _stream, texts) {
      for (const text of texts) lines.push(`${label} | ${text}`)
      if (lines.length > 2 * KEPT) lines.splice(0, lines.length - KEPT)
      changed()
    }
  }

  async function read(): Promise<void> {
    const client = await open()
    try {
      await readWith(client)
    } finally {
      await client.close()
    }
  }
  async function readWith(client: OpenClient): Promise<void> {
    const { outputOf } = await import('../output/open-output.ts')
    const output = outputOf({ client, key, clock, charset, listener, which: 'all' })
    enough.signal.addEventListener('abort', output.stop)
    const run = await runOf(client.api, key)
    if (!run) return
    const goesOn = run.finishedAt === '' && !client.here
    await output.print(run, { goesOn })
    if (!goesOn || enough.signal.aborted) return
    const closed = new Promise<undefined>((resolve) =>
      enough.signal.addEventListener('abort', () => resolve(undefined))
    )
    const ended = await Promise.race([output.follow(), closed])
    if (ended) await output.end(ended)
  }

  return { lines, done: read(), close: () => enough.abort() }
}
