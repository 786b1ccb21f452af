/** All fault suites. */
import { io } from './io.ts'
import { kill } from './kill.ts'
import { net } from './net.ts'
import { points } from './points-suite.ts'
import { proc } from './proc.ts'
import { secrets } from './secrets-suite.ts'
import { store } from './store.ts'
import type { Suite } from './suite.ts'
import { yaml } from './yaml.ts'

export const suites: Suite[] = [kill, points, secrets, yaml, proc, io, store, net]
