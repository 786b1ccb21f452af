/** Client of an engine in this process, whose routes are called as functions. */
import { homeOf } from '../../api/owner/home.ts'
import { trustedCalls } from '../../api/owner/trusted-api.ts'
import type { Clock } from '../../clock.ts'
import type { CallingStep, Engine } from '../../engine/engine.ts'
import { TroupeError } from '../../errors.ts'
import { type HomeClient, homeClient } from './home-client.ts'
import type { OpenClient } from './opened.ts'

/** @param step in which the command runs; absent: in none */
export const clientHere = (engine: Engine, clock: Clock, step?: CallingStep): HomeClient =>
  homeClient(homeOf(engine), trustedCalls(engine), { clock, step })

/** The same of an engine that reads a home. */
export const readingClient = (engine: Engine, clock: Clock): OpenClient => ({
  ...clientHere(engine, clock),
  follow: () => Promise.reject(new TroupeError('bad_request', 'no engine is there: the run does not continue')),
  close: () => engine.close()
})
