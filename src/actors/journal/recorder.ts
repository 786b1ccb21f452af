/** The recorders: whoever makes an actor hands it the one of its machine. Each notes every transition of such an actor. */
import { callRecorder } from './call-recorder.ts'
import { openJournal, type Watch } from './journal.ts'
import { nodeRecorder } from './node-recorder.ts'
import { queueRecorder } from './queue-recorder.ts'
import type { Recorder } from './recorded.ts'
import { runRecorder } from './run-recorder.ts'

export type Recorders = Readonly<Record<'queue' | 'run' | 'node' | 'call', Recorder>>

export function openRecorders(watch: Watch, journal = openJournal(watch)): Recorders {
  return {
    queue: queueRecorder(journal, watch),
    run: runRecorder(journal, watch),
    node: nodeRecorder(journal, watch),
    call: callRecorder(journal, watch)
  }
}
