/** Records and pages are damaged, homes removed and copied, in small. Source: reliability 4. */
import { store } from '../store/store.ts'
import { playSmall } from './play-small.ts'

playSmall(store)
