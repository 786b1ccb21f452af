/** Requests over the socket of the owner of a home. Loads nothing of an engine. */
import { TroupeError } from '../../errors.ts'
import { LINES } from '../contract/owner-operations.ts'
import type { Transport } from '../contract/transport.ts'
import { Gone } from './gone.ts'
import { overNode } from './over-node.ts'

/** An owner that does not answer in this time is stuck. */
const ANSWER_MS = 10_000

/** @param apiPath at which the API begins */
export const overSocket = (socketPath: string, apiPath = ''): Transport =>
  overNode({
    to(url, { Accept: accept }) {
      const path = /^\/(owner|local)\//.test(url) ? url : apiPath + url
      // A run may be silent for long.
      const isStream = accept === LINES || url.split('?', 1)[0]?.endsWith('/events')
      return { socketPath, path, ...(isStream ? {} : { timeout: ANSWER_MS }) }
    },
    failed: (cause) => (cause instanceof TroupeError ? cause : new Gone(cause)),
    silent: () =>
      new TroupeError(
        'service_unavailable',
        `the engine of this home does not answer on ${socketPath}; is its process stopped?`
      )
  })
