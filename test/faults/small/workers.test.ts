/** Engine, broker and workers die, freeze and lose their links, in small. Source: reliability 4. */
import { workers } from '../workers/workers-suite.ts'
import { playSmall } from './play-small.ts'

playSmall(workers)
