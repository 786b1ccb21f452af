/** Files and store fail, in small. Source: reliability 4. */
import { io } from '../io.ts'
import { playSmall } from './play-small.ts'

playSmall(io)
