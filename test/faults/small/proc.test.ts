/** Processes that misbehave, in small. Source: reliability 4. */
import { proc } from '../proc/proc.ts'
import { playSmall } from './play-small.ts'

playSmall(proc)
