/** What the steps of a run in the foreground print; nothing is read when nothing is to be shown. */
import type { RunKey } from '../../../machines/vocabulary.ts'
import type { Client, JournalEvent, RunDetails } from '../../client/index.ts'
import type { Scene } from '../foreground/report-scene.ts'
import { nodesOf } from '../view/nodes.ts'
import { startOf } from '../view/row.ts'
import type { Listener, OutputStep } from './listener.ts'
import { type RunOutput, runOutput } from './run-output.ts'

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
  if (scene.client.isElsewhere) return outputThere(scene, scene.client.api, listener)
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
    end: async (run) => output?.end(run, startOf(run)),
    stop: () => output?.stop()
  }
}

/** The output of a run on a server elsewhere, whose logs are not here. */
function outputThere({ context, output: which }: Scene, api: Client, listener: Listener): ShownOutput {
  const { clock, out } = context
  const enough = new AbortController()
  void out.left?.then(() => enough.abort())
  let following: Promise<unknown> | undefined
  const printing = async (key: RunKey, wants: (of: OutputStep) => boolean) => {
    const { printThere } = await import('../remote/logs.ts')
    const { startedAt, attempt } = (await api.getRun({ path: key })).dagRun
    // What a retry keeps belongs to an earlier attempt.
    const since = attempt > 1 && startedAt !== '' ? Math.floor(Date.parse(startedAt) / 1000) : undefined
    return printThere(
      { api, key, clock, listener, wants, since, streams: ['stdout', 'stderr'], enough: enough.signal },
      true
    )
  }
  return {
    begin({ name, dagRunId }) {
      // The command that follows the run says why the server does not answer.
      if (which === 'all') following = printing({ name, dagRunId }, () => true).catch(() => {})
    },
    event() {},
    async flushed() {},
    async end(run) {
      await following
      if (which !== 'failed') return
      const { name, dagRunId } = run
      const failed = new Set(
        nodesOf(run).flatMap(({ step, statusLabel }) => (statusLabel === 'failed' ? [step.name] : []))
      )
      if (failed.size > 0) await printing({ name, dagRunId }, ({ top }) => failed.has(top)).catch(() => {})
    },
    stop: () => enough.abort()
  }
}
