/** What the steps of a run print, wherever its logs are; nothing is read when nothing is to be shown. */
import type { RunKey } from '../../../machines/vocabulary.ts'
import type { JournalEvent, RunDetails } from '../../client/index.ts'
import type { Scene } from '../foreground/report-scene.ts'
import { startOf } from '../view/row.ts'
import type { Listener } from './listener.ts'
import { outputByApi } from './output-by-api.ts'
import { type OutputOptions, type RunOutput, runOutput } from './run-output.ts'

export const outputOf = (options: OutputOptions): RunOutput =>
  options.client.isElsewhere || options.attempt !== undefined ? outputByApi(options) : runOutput(options)

/** What a run in the foreground prints. */
export interface ShownOutput {
  begin(key: RunKey): void
  /** As `RunOutput`. */
  event(event: JournalEvent): void
  flushed(): Promise<void>
  end(run: RunDetails): Promise<void>
  stop(): void
}

/** @param skipBeyond as `OutputOptions.skipBeyond` */
export function openOutput(scene: Scene, listener: Listener, skipBeyond?: number): ShownOutput {
  const { context, client, charset, output: which } = scene
  let output: RunOutput | undefined
  return {
    begin({ name, dagRunId }) {
      if (which === 'none') return
      const { clock, out } = context
      const shown = { key: { name, dagRunId }, which, listener, ...(skipBeyond ? { skipBeyond } : {}) }
      output = outputOf({ client, clock, charset, ...shown })
      void out.left?.then(output.stop)
      output.begin()
    },
    event: (event) => output?.event(event),
    flushed: async () => output?.flushed(),
    // Steps that began earlier belong to an earlier attempt, which a retry keeps.
    end: async (run) => output?.end(run, startOf(run)),
    stop: () => output?.stop()
  }
}
