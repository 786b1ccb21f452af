/** The texts that a stored definition has had. An addition: docs/http-api.md "Versions of a definition". */
import { array, count, flag, object, optional, text } from '../../../schema/schema.ts'
import { VIEW } from '../needs.ts'
import { type Operation, ok, operation } from '../operation.ts'
import { RunWaitingFor, Time } from '../run-shapes.ts'
import { RunStatusLabel, RunStatusNumber } from '../statuses.ts'

const VersionRun = object({
  dagRunId: text,
  status: RunStatusNumber,
  statusLabel: RunStatusLabel,
  waitingFor: optional(RunWaitingFor),
  createdAt: Time,
  createdAtMs: count
})

export const DefinitionVersion = object(
  {
    number: count,
    revision: text,
    at: Time,
    atMs: count,
    by: optional(text),
    how: { type: 'string', enum: ['saved', 'found'] },
    size: count,
    isCurrent: flag,
    runCount: count,
    runs: array(VersionRun)
  },
  'A text that a definition has had. `number`: counted from 1, for each definition. `how`: it was saved through the server, by `by`, or found in its file. `size` in bytes. `runCount` of the latest 200 runs of the DAG have had this text; `runs` are the newest 10 of them.'
)

const one = '/dags/{fileName}/versions'

export const versionOperations = {
  listVersions: operation('GET', one, VIEW, 'Definitions', 'The texts that a definition has had', {
    answers: ok('The newest first; at most 100.', object({ versions: array(DefinitionVersion) }))
  }),
  getVersion: operation('GET', `${one}/{revision}`, VIEW, 'Definitions', 'One of these texts', {
    answers: ok('The exact text.', object({ revision: text, spec: text }))
  })
} as const satisfies Record<string, Operation>
