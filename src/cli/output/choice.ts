/** Which steps' output a run in the foreground shows. */
import { TroupeError } from '../../errors.ts'
import { didYouMean } from '../../nearest.ts'
import type { Arguments } from '../input/command.ts'

export type OutputChoice = 'all' | 'failed' | 'none'

const CHOICES: readonly OutputChoice[] = ['all', 'failed', 'none']

/** The value of `--output`. @throws TroupeError bad_request */
export function outputOf({ text: { output = 'all' } }: Arguments): OutputChoice {
  const choice = CHOICES.find((choice) => choice === output)
  if (choice) return choice
  const hint = didYouMean(output, CHOICES)
  throw new TroupeError('bad_request', `--output: wanted ${CHOICES.join(', ')}, found ${JSON.stringify(output)}${hint}`)
}
