/** Known values are searched in all that is stored, shown or sent, in small. Source: reliability 4. */
import { secrets } from '../secrets/secrets-suite.ts'
import { playSmall } from './play-small.ts'

playSmall(secrets)
