/** How fast are 500 steps done that do not wait for one another? */
import { manySteps } from '../many-steps.ts'

export const wide = manySteps('wide', 'wide', 'true')

/** With a program in place of the shell's own `true`. */
export const wideExec = manySteps('wide-exec', 'wide', '/bin/true')
