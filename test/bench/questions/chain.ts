/** How fast do 500 steps follow one another? Each waits for the one before it, so this is the price of one transition. */
import { manySteps } from '../many-steps.ts'

export const chain = manySteps('chain', 'chain', 'true')

/** With a program in place of the shell's own `true`: what real steps do, one more exec each. */
export const chainExec = manySteps('chain-exec', 'chain', '/bin/true')
