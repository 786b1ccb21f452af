/** All fault suites. */
import { kill } from './kill.ts'
import type { Suite } from './suite.ts'

export const suites: Suite[] = [kill]
