/** Random and hostile definitions, in small. Source: reliability 4. */
import { yaml } from '../yaml/yaml.ts'
import { playSmall } from './play-small.ts'

playSmall(yaml)
