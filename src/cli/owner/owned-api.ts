/** The API of the engine of a home of this machine, wherever that runs. */
import { COMMAND_HEADER, stepText } from '../../api/owner/calling-step.ts'
import type { Client, Transport } from '../../client/index.ts'
import type { CallingStep } from '../../engine/engine.ts'
import { apiOf } from '../remote/api.ts'

/**
 * @param fetch gets URLs that begin below the base path
 * @param step in which the command runs; absent: in none
 */
export const apiBy = (fetch: Transport, { home }: { home: string }, step?: CallingStep): Client =>
  apiOf({ url: home, baseUrl: '', headers: { [COMMAND_HEADER]: stepText(step) }, fetch })
