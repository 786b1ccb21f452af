/** An interrupted command does not wait for an end that cannot be stored. */
import { pause } from '../../clock.ts'
import type { CliContext } from '../context.ts'
import type { OpenClient } from '../owner/opened.ts'

/** A disk that cannot be written is waited for so long, ms. */
const STALLED_MS = 3_000
const LOOK_MS = 500

// D1621: an engine that closes waits 2 s for a disk that cannot be written
/** Resolves when nothing could be stored for a while; never once `known` is aborted. */
export async function unstored(
  client: Pick<OpenClient, 'acts'>,
  { clock }: Pick<CliContext, 'clock'>,
  known: AbortSignal
): Promise<void> {
  let since: number | undefined
  for (;;) {
    await pause(clock, LOOK_MS, known)
    if (known.aborted) return new Promise<never>(() => {})
    // A server that is gone is waited for elsewhere.
    const isStalled = await client.acts.isStalled().then(
      ({ stalled }) => stalled,
      () => false
    )
    since = isStalled ? (since ?? clock.elapsed()) : undefined
    if (since !== undefined && clock.elapsed() - since >= STALLED_MS) return
  }
}
