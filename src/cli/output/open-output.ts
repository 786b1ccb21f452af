/** What the steps of a run in the foreground print; nothing is read when nothing is to be shown. */
import type { RunKey } from '../../../machines/vocabulary.ts'
import type { EngineEvent, RunView } from '../../engine/engine.ts'
import type { Scene } from '../foreground/report-scene.ts'
import type { Listener } from './listener.ts'
import { type RunOutput, runOutput } from './run-output.ts'

export interface ShownOutput {
  begin(key: RunKey): void
  /** As `RunOutput`. */
  event(event: EngineEvent): void
  flushed(): Promise<void>
  end(view: RunView): Promise<void>
  stop(): void
}

/** @param skipBeyond as `OutputOptions.skipBeyond` */
export function openOutput(scene: Scene, listener: Listener, skipBeyond?: number): ShownOutput {
  const { context, client, charset, output: which } = scene
  let output: RunOutput | undefined
  return {
    begin(key) {
      if (which === 'none') return
      const { clock, out } = context
      const opened = runOutput({ client, key, clock, charset, which, listener, ...(skipBeyond ? { skipBeyond } : {}) })
      void out.left?.then(opened.stop)
      output = opened
    },
    event: (event) => output?.event(event),
    flushed: async () => output?.flushed(),
    // Steps that began earlier belong to an earlier attempt, which a retry keeps.
    end: async (view) => output?.end(view, view.run.startedAt),
    stop: () => output?.stop()
  }
}
