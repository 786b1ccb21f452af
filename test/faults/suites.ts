/** All fault suites. */
import { io } from './io.ts'
import { kill } from './kill.ts'
import { net } from './net/net.ts'
import { points } from './points/points-suite.ts'
import { proc } from './proc/proc.ts'
import { secrets } from './secrets/secrets-suite.ts'
import { store } from './store/store.ts'
import type { Suite } from './suite.ts'
import { lost } from './workers/lost-suite.ts'
import { workers } from './workers/workers-suite.ts'
import { yaml } from './yaml/yaml.ts'

export const suites: Suite[] = [kill, points, secrets, yaml, proc, io, store, net, workers, lost]
