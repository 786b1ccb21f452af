/** The engine dies under load, in small. Source: reliability 4. */
import { kill } from '../kill.ts'
import { playSmall } from './play-small.ts'

playSmall(kill)
