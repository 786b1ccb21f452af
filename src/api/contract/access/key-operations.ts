/** API keys: listed, made, revoked. An addition: docs/http-api.md "Access". */
import { array, object, optional, text } from '../../../schema/schema.ts'
import { KeyName } from '../names.ts'
import { ADMIT, EXAMINE } from '../needs.ts'
import { described, type Operation, ok, operation } from '../operation.ts'
import { ApiKey, GivenApiKey } from './key-shapes.ts'

const anyObject = { type: 'object', additionalProperties: { 'x-any': true } } as const

export const keyOperations = {
  listKeys: operation('GET', '/access/keys', EXAMINE, 'Access', 'API keys of this server', {
    own: true,
    description: 'Those that count first, then by time of creation, newest first.',
    answers: ok('The keys.', object({ keys: array(ApiKey) }))
  }),
  createKey: operation('POST', '/access/keys', ADMIT, 'Access', 'Make an API key', {
    own: true,
    description:
      'Its text is in this answer alone. Callers for whom there are rules cannot make one, and a key that was made with a key does not outlive it.',
    body: object({
      // The route says all that is wrong, with which rule too, at once.
      name: { ...KeyName, 'x-any': true },
      role: {
        type: 'string',
        enum: ['none', 'viewer', 'runner', 'editor', 'admin'],
        description: 'On the server.',
        'x-any': true
      },
      rules: optional({
        ...array(anyObject),
        'x-any': true,
        description:
          'Roles for some definitions, as in `access.rules` without `who`: `may`, and `dags`, `groups` or `tags`.'
      }),
      expires: optional(
        described(
          text,
          'How long it counts, such as `30d` or `12h`, or the instant at which it ends, such as `2027-01-31T00:00:00Z`. Absent: it counts until it is revoked.'
        )
      )
    }),
    answers: { 201: { description: 'It was made.', schema: GivenApiKey } },
    errors: ['already_exists', 'service_unavailable']
  }),
  revokeKey: operation('DELETE', '/access/keys/{keyName}', ADMIT, 'Access', 'Take an API key back', {
    own: true,
    description: 'From now on it lets nobody in, and streams that were opened with it end.',
    answers: ok('It counts no more.', ApiKey),
    errors: ['service_unavailable']
  })
} as const satisfies Record<string, Operation>
