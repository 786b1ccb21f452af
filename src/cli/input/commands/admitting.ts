/** The commands about who gets in: API keys. Data only. Our addition: docs/cli.md "API keys". */
import type { Command } from '../command.ts'

export const admittingCommands: Command[] = [
  {
    name: 'keys',
    summary: 'list the API keys of a server: role, last use, expiry',
    flags: [],
    example: 'troupe keys',
    elsewhere: true,
    load: () => import('../../commands/keys/keys.ts')
  },
  {
    name: 'key',
    summary: 'make an API key, or take one back, while the server runs',
    operand: 'create|revoke NAME',
    flags: [
      {
        name: 'role',
        value: 'ROLE',
        help: 'create: none, viewer, runner, editor or admin of the server; default: none'
      },
      {
        name: 'rule',
        value: 'RULE',
        several: true,
        help: "create: a role for some definitions: 'runner dags=etl-*,prod tags=nightly'; may be given several times"
      },
      { name: 'expires', value: 'WHEN', help: 'create: after 30d or 12h, or at 2027-01-31T00:00:00Z; default: never' }
    ],
    example: 'troupe key create deploy --role runner --expires 90d',
    elsewhere: true,
    load: () => import('../../commands/keys/key.ts')
  }
]
