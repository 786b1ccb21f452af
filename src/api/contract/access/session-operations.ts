/** Sessions of those who are signed in: listed, and ended. An addition: docs/http-api.md "Access". */
import { array, count, flag, object, optional, text } from '../../../schema/schema.ts'
import { ADMIT, EXAMINE } from '../needs.ts'
import { described, type Operation, ok } from '../operation.ts'
import { SignedIn } from './session-shapes.ts'

export const sessionOperations = {
  listSessions: {
    method: 'GET',
    path: '/access/sessions',
    needs: EXAMINE,
    tag: 'Access',
    own: true,
    summary: 'Who is signed in',
    description: 'People who have signed in with OpenID Connect, the latest seen first.',
    answers: ok('The sessions.', object({ sessions: array(SignedIn) }))
  },
  endSessions: {
    method: 'POST',
    path: '/access/sessions/end',
    needs: ADMIT,
    tag: 'Access',
    own: true,
    summary: 'Sign people out',
    description: 'Their sessions count no more, and their streams end. They can sign in again.',
    body: object({
      session: optional(described(text, 'Id of one session.')),
      subject: optional(described(text, 'All of a person, by the identifier that the provider has for them.')),
      all: optional(described(flag, '`true`: all of everybody.'))
    }),
    answers: ok('They are signed out.', object({ ended: { ...count, description: 'Sessions that were listed.' } })),
    errors: ['not_found']
  }
} as const satisfies Record<string, Operation>
