/** Clients that are slow, silent or too many, in small. Source: reliability 4. */
import { net } from '../net/net.ts'
import { playSmall } from './play-small.ts'

playSmall(net)
