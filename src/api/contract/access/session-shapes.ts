/** Sessions of people. An addition: docs/http-api.md "Access". */
import { flag, object, text } from '../../../schema/schema.ts'
import { Time } from '../run-shapes.ts'

export const SignedIn = object(
  {
    id: text,
    name: { ...text, description: 'Verified e-mail address, else the identifier of the person.' },
    subject: { ...text, description: 'The identifier that the provider has for the person.' },
    since: { ...Time, description: 'The sign-in; of a session that was first seen otherwise the issue of its token.' },
    lastSeenAt: { ...Time, description: 'The latest request. After a restart it may be some minutes too early.' },
    expiresAt: Time,
    address: { ...text, description: 'Address of the latest request; of IPv6 its network.' },
    agent: { ...text, description: 'Its browser, such as `Firefox 128, Linux`.' },
    isOwn: { ...flag, description: 'It is that of the caller.' }
  },
  'A session of somebody who has signed in.'
)
