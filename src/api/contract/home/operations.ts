/** The home of the server as a whole. An addition: docs/http-api.md "The home of the server". */
import { flag, object, optional, text } from '../../../schema/schema.ts'
import { ADMINISTER, EXAMINE } from '../needs.ts'
import { described, type Operation, ok, operation } from '../operation.ts'
import { Examination, GivenWorkerKey, RevokedWorker, SettingsAnswer } from './shapes.ts'

// D1375: Settings, examination, backup and keys of workers need every permission
export const homeOperations = {
  getSettings: operation('GET', '/services/settings', EXAMINE, 'Home', 'Settings of the server', {
    own: true,
    description: 'Secrets are hidden.',
    answers: ok('The settings.', SettingsAnswer)
  }),
  examineHome: operation('GET', '/services/doctor', EXAMINE, 'Home', 'Problems of the home', {
    own: true,
    description:
      'Store, logs, definitions, permissions, disk, message bus: examined while the server runs, and nothing is changed. Who asks while an examination is under way gets what that one finds.',
    answers: ok('What was found.', Examination)
  }),
  backUpHome: operation('POST', '/services/backup', ADMINISTER, 'Home', 'A copy of the home', {
    own: true,
    description:
      'A tar archive: a backup as `troupe backup` makes it, its `manifest.json` first, which has the length and checksum of each file. It is complete before the first byte is sent, and it contains the credentials of the server. One is taken at a time.',
    body: object({ logs: optional(described(flag, '`false`: without the log files of runs.')) }),
    answers: { 200: { description: 'The archive.', schema: text, type: 'application/x-tar' } },
    errors: ['service_unavailable']
  }),
  enrollWorker: operation('POST', '/workers/{workerId}/enroll', ADMINISTER, 'Home', 'Give a worker a key', {
    description:
      'The answer has the key, and nothing else has it: one whose answer was lost is revoked, and the worker enrolled again.',
    answers: ok('The worker has a key.', GivenWorkerKey),
    errors: ['already_exists', 'service_unavailable']
  }),
  revokeWorker: operation('POST', '/workers/{workerId}/revoke', ADMINISTER, 'Home', 'Take the key of a worker away', {
    answers: ok('Its key counts no more.', RevokedWorker),
    errors: ['not_running', 'service_unavailable']
  })
} as const satisfies Record<string, Operation>
