/** Events on their way to the targets of `notify`, and dead letters. An addition: docs/notifications.md "Dead letters". */
import { array, count, flag, object, optional, orNull, text } from '../../../schema/schema.ts'
import { OPERATE, OVERSEE } from '../needs.ts'
import { described, type Operation, ok, operation, ranged } from '../operation.ts'
import { Time } from '../run-shapes.ts'

const State = { type: 'string', enum: ['waiting', 'dead'] } as const

export const Delivery = object(
  {
    target: text,
    id: { ...text, description: 'Of the event: `webhook-id` of its requests.' },
    state: State,
    event: { ...text, description: 'Such as `run.failed`.' },
    dagName: text,
    dagRunId: text,
    occurredAt: Time,
    attempts: { ...count, description: 'Those that have failed.' },
    nextAttemptAt: Time,
    lastAttemptAt: Time,
    diedAt: Time,
    error: { ...text, description: 'Why the latest attempt failed, or why there is no other.' }
  },
  'An event for a target. `dagName` and `dagRunId` are those of its root run, and empty where it is about none.'
)

export const NotifyTarget = object(
  {
    name: text,
    configured: { ...flag, description: '`false`: `notify` does not have it any more.' },
    waiting: count,
    dead: count,
    failures: { ...count, description: 'Requests in a row that were not accepted.' },
    delivered: { ...count, description: 'Accepted events since the start of the engine; the other counts likewise.' },
    failedAttempts: count,
    givenUp: count
  },
  'A target of `notify`.'
)

export const Changed = object({ count: { ...count, description: 'Dead letters.' } })

const Id = described(
  { ...text, pattern: '^[0-9a-f-]{36}$' },
  'The dead letter of this id alone. Default: all of the target.'
)

// D1525: deliveries are for admins
export const deliveryOperations = {
  listDeliveries: operation(
    'GET',
    '/deliveries',
    OVERSEE,
    'Home',
    'Events that wait for a target of `notify`, and dead letters',
    {
      description: 'In parts: dead letters first, then by target, the oldest first.',
      query: {
        state: { ...State, description: 'Only those. Default: both.' },
        target: described(text, 'Name of a target.'),
        limit: ranged(
          'Events in a part; more than 1000 counts as 1000, less than 1 as none given. Default 100.',
          1,
          1_000
        ),
        cursor: described(text, 'The `nextCursor` of the previous part.')
      },
      answers: ok(
        'A part of them, and every target.',
        object({
          targets: array(NotifyTarget),
          deliveries: array(Delivery),
          nextCursor: { ...orNull(text), description: 'Null: there are no more.' }
        })
      )
    }
  ),
  retryDeliveries: operation(
    'POST',
    '/deliveries/{targetName}/retry',
    OPERATE,
    'Home',
    'Have dead letters of a target delivered again',
    {
      body: object({ id: optional(Id) }),
      answers: ok('It is durable that they wait again.', Changed),
      errors: ['service_unavailable']
    }
  ),
  removeDeliveries: operation(
    'DELETE',
    '/deliveries/{targetName}',
    OPERATE,
    'Home',
    'Remove dead letters of a target',
    {
      query: { id: Id },
      answers: ok('They are removed.', Changed),
      errors: ['service_unavailable']
    }
  )
} as const satisfies Record<string, Operation>
