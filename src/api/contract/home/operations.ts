/** The home of the server as a whole. An addition: docs/http-api.md "The home of the server". */
import { flag, object, optional, text } from '../../../schema/schema.ts'
import { ADMINISTER, EXAMINE } from '../needs.ts'
import { described, type Operation, ok } from '../operation.ts'
import { Examination, GivenWorkerKey, RevokedWorker, SettingsAnswer } from './shapes.ts'

// D1375: Settings, examination, backup and keys of workers need every permission
export const homeOperations = {
  getSettings: {
    method: 'GET',
    path: '/services/settings',
    needs: EXAMINE,
    tag: 'Home',
    own: true,
    summary: 'Settings of the server',
    description: 'Secrets are hidden.',
    answers: ok('The settings.', SettingsAnswer)
  },
  examineHome: {
    method: 'GET',
    path: '/services/doctor',
    needs: EXAMINE,
    tag: 'Home',
    own: true,
    summary: 'Problems of the home',
    description:
      'Store, logs, definitions, permissions, disk, message bus: examined while the server runs, and nothing is changed. Who asks while an examination is under way gets what that one finds.',
    answers: ok('What was found.', Examination)
  },
  backUpHome: {
    method: 'POST',
    path: '/services/backup',
    needs: ADMINISTER,
    tag: 'Home',
    own: true,
    summary: 'A copy of the home',
    description:
      'A tar archive: a backup as `troupe backup` makes it, its `manifest.json` first, which has the length and checksum of each file. It is complete before the first byte is sent, and it contains the credentials of the server. One is taken at a time.',
    body: object({ logs: optional(described(flag, '`false`: without the log files of runs.')) }),
    answers: { 200: { description: 'The archive.', schema: text, type: 'application/x-tar' } },
    errors: ['service_unavailable']
  },
  enrollWorker: {
    method: 'POST',
    path: '/workers/{workerId}/enroll',
    needs: ADMINISTER,
    tag: 'Home',
    summary: 'Give a worker a key',
    description:
      'The answer has the key, and nothing else has it: one whose answer was lost is revoked, and the worker enrolled again.',
    answers: ok('The worker has a key.', GivenWorkerKey),
    errors: ['already_exists', 'service_unavailable']
  },
  revokeWorker: {
    method: 'POST',
    path: '/workers/{workerId}/revoke',
    needs: ADMINISTER,
    tag: 'Home',
    summary: 'Take the key of a worker away',
    answers: ok('Its key counts no more.', RevokedWorker),
    errors: ['not_running', 'service_unavailable']
  }
} as const satisfies Record<string, Operation>
