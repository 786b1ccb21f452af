/** How fast are 20 layers of 25 steps done, each of which waits for all of the layer before its own: 11,875 dependencies? */
import { manySteps } from '../many-steps.ts'

export const layers = manySteps('layers', 'layers', 'true')

/** With a program in place of the shell's own `true`. */
export const layersExec = manySteps('layers-exec', 'layers', '/bin/true')
