/** The reason that no engine owns the home. Source: docs/inspect.md. */
import type { Said, Situation } from './situation.ts'

export const engineAbsent = ({ record }: Pick<Situation, 'record'>): Said => ({
  cause: 'engine_absent',
  text: `no engine is running on this home: run ${record.dagRunId} continues with the next one`,
  blockedBy: [{ kind: 'engine', name: 'none is running' }],
  unblock: 'Start one: troupe start-all.'
})
