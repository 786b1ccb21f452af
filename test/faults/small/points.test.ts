/** The engine dies at each named point, in small. Source: reliability 4. */
import { points } from '../points/points-suite.ts'
import { playSmall } from './play-small.ts'

playSmall(points)
