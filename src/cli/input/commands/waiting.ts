/** The commands about steps that wait for a signal or an approval. Data only. Source: embedding 2.5; our addition. */
import type { Command } from '../command.ts'
import { runId, subRunId } from '../shared-flags.ts'

const flags = [
  runId,
  subRunId,
  { name: 'id', value: 'ID', help: 'makes it repeatable: the same id again changes nothing' }
]

export const waitCommands: Command[] = [
  {
    name: 'waiting',
    summary: 'list the steps that wait for a signal or an approval',
    operand: '[NAME]',
    flags: [{ name: 'step', value: 'STEP', help: 'only steps of this name' }],
    example: 'troupe waiting',
    elsewhere: true,
    load: () => import('../../commands/waits/waiting.ts')
  },
  {
    name: 'signal',
    summary: 'give a step the signal that it waits for, with its payload',
    operand: 'RUN STEP [JSON]',
    flags,
    example: 'troupe signal order paid \'{"amount":3}\'',
    elsewhere: true,
    load: () => import('../../commands/waits/signal.ts')
  },
  {
    name: 'approve',
    summary: 'answer a step that waits for an approval',
    operand: 'RUN STEP',
    flags: [
      { name: 'refuse', help: 'refuse it instead' },
      { name: 'note', value: 'TEXT', help: 'why; others can read it' },
      ...flags
    ],
    example: 'troupe approve order ship --note checked',
    elsewhere: true,
    load: () => import('../../commands/waits/approve.ts')
  }
]
