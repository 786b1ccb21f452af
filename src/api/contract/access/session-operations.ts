/** Who is signed in: listed, and ended. An addition: docs/http-api.md "Access". */
import { array, count, flag, object, optional, text } from '../../../schema/schema.ts'
import { ADMIT, EXAMINE } from '../needs.ts'
import { described, type Operation, ok, operation } from '../operation.ts'
import { SignedIn } from './session-shapes.ts'

export const sessionOperations = {
  listSessions: operation('GET', '/access/sessions', EXAMINE, 'Access', 'Who is signed in', {
    own: true,
    description: 'People who have signed in with OpenID Connect, the latest seen first.',
    answers: ok('The sessions.', object({ sessions: array(SignedIn) }))
  }),
  endSessions: operation('POST', '/access/sessions/end', ADMIT, 'Access', 'Sign people out', {
    own: true,
    description: 'Their sessions count no more, and their streams end. They can sign in again.',
    body: object({
      session: optional(described(text, 'Id of one session.')),
      subject: optional(described(text, 'All of a person, by the identifier that the provider has for them.')),
      all: optional(described(flag, '`true`: all of everybody.'))
    }),
    answers: ok('They are signed out.', object({ ended: { ...count, description: 'Sessions that were listed.' } })),
    errors: ['not_found']
  })
} as const satisfies Record<string, Operation>
