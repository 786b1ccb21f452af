/** The audit log of the home. An addition: docs/http-api.md "The audit log". */
import { array, count, flag, integer, object, orNull, text } from '../../../schema/schema.ts'
import { EXAMINE } from '../needs.ts'
import { described, type Operation, ok, operation, ranged } from '../operation.ts'
import { AuditEntry } from './shapes.ts'

const filters = {
  principal: described(text, 'Part of the caller, written as in `access.roles`: `token:ci`.'),
  operation: described(text, 'Id of an operation, such as `startDag`.'),
  dag: described(text, 'File name of a definition, or DAG name.'),
  run: described(text, 'Id of a run.'),
  outcome: described(text, '`done`, `refused` for anything else, or an error code.'),
  from: described(integer, 'Unix seconds; entered then or later.'),
  to: described(integer, 'Unix seconds; entered before.')
} as const

// D1464: the audit log is for those who may do everything
export const auditOperations = {
  listAudit: operation('GET', '/audit', EXAMINE, 'Home', 'Who has changed what, and what was refused', {
    own: true,
    description:
      'The newest first. A part may have fewer entries, and still a `nextCursor`, when few of many entries match.',
    query: {
      ...filters,
      limit: ranged('At most so many entries: default 100; more than 1000 counts as 1000.', 1, 1_000),
      cursor: {
        type: 'string',
        description: 'The `nextCursor` of the previous part.',
        pattern: '^\\d{1,16}-\\d{1,15}$'
      }
    },
    answers: ok(
      'Entries.',
      object({
        enabled: { ...flag, description: 'Entries are added.' },
        entries: array(AuditEntry),
        nextCursor: { ...orNull(text), description: 'Null: there are no more.' },
        head: {
          ...orNull(object({ seq: count, hash: text })),
          description: 'The latest entry of all. Null: none, or not known.'
        }
      })
    )
  }),
  exportAudit: operation('GET', '/audit/export', EXAMINE, 'Home', 'The audit log as lines of JSON', {
    own: true,
    description:
      'The oldest first, each line as it is stored: without filters, `troupe audit verify FILE` verifies what was saved.',
    query: filters,
    answers: { 200: { description: 'Lines.', schema: text, type: 'application/x-ndjson' } }
  })
} as const satisfies Record<string, Operation>
