/** The commands about definitions. Data only. Source: api-semantics 11. */
import type { Command } from '../command.ts'
import { dagName, params } from '../shared-flags.ts'

export const definingCommands: Command[] = [
  {
    name: 'dry',
    summary: 'show what a run would do, and in which order, without running anything',
    operand: 'FILE|NAME',
    words: true,
    flags: [params, dagName],
    example: 'troupe dry etl -- DAY=2026-03-01',
    elsewhere: true,
    load: () => import('../../commands/dry.ts')
  },
  {
    name: 'edit',
    summary: 'open a definition in your editor, and save it when it has no problems',
    operand: 'FILE|NAME',
    flags: [],
    example: 'troupe edit etl',
    elsewhere: true,
    load: () => import('../../commands/edit/edit.ts')
  },
  {
    name: 'versions',
    summary: 'list the texts that a definition has had; compare them, or restore one',
    operand: 'NAME',
    flags: [
      { name: 'diff', value: 'N[,M]', help: 'what is different from version N to the text of now, or to version M' },
      { name: 'show', value: 'N', help: 'print the text of version N' },
      { name: 'restore', value: 'N', help: 'save the text of version N, when it has no problems' }
    ],
    example: 'troupe versions etl --diff 1',
    elsewhere: true,
    load: () => import('../../commands/versions/versions.ts')
  },
  {
    name: 'suspend',
    summary: 'suspend the schedule of a definition: it starts no run',
    operand: 'NAME',
    flags: [],
    example: 'troupe suspend etl',
    elsewhere: true,
    load: async () => (await import('../../commands/changes/suspend.ts')).suspend
  },
  {
    name: 'resume',
    summary: 'resume the schedule of a definition that is suspended',
    operand: 'NAME',
    flags: [],
    example: 'troupe resume etl',
    elsewhere: true,
    load: async () => (await import('../../commands/changes/suspend.ts')).resume
  },
  {
    name: 'rename',
    summary: 'give a stored definition another name, with its history',
    operand: 'NAME NEW',
    flags: [],
    example: 'troupe rename etl nightly-etl',
    elsewhere: true,
    load: () => import('../../commands/changes/rename.ts')
  },
  {
    name: 'delete',
    summary: 'delete a stored definition; its runs stay',
    operand: 'NAME',
    flags: [{ name: 'yes', short: 'y', help: 'do not ask' }],
    example: 'troupe delete nightly-etl --yes',
    elsewhere: true,
    load: () => import('../../commands/changes/delete.ts')
  },
  {
    name: 'validate',
    summary: 'check a definition without running anything',
    operand: 'FILE|NAME',
    flags: [],
    example: 'troupe validate etl.yaml',
    elsewhere: true,
    load: () => import('../../commands/validate.ts')
  },
  {
    name: 'test',
    summary: 'run tests of workflows: the given files NAME.test.yaml, or all below the working folder',
    operand: '[FILES]',
    flags: [
      { name: 'format', value: 'FORMAT', help: 'text (default), tap or junit' },
      { name: 'coverage', help: 'show which steps, handlers and branches no test has reached' },
      { name: 'watch', short: 'w', help: 'run them again whenever one of the files changes, until Ctrl-C' }
    ],
    example: 'troupe test etl.test.yaml --coverage',
    elsewhere: 'plays test files of this machine, and needs no server: leave --url out',
    load: () => import('../../commands/tests/test.ts')
  },
  {
    name: 'schema',
    summary: 'print the JSON Schema of definitions, for editors',
    flags: [{ name: 'tests', help: 'that of test files instead' }],
    example: 'troupe schema > definition.schema.json',
    elsewhere: 'what it prints belongs to this program, not to a server: leave --url out',
    load: () => import('../../commands/schema.ts')
  }
]
