/** The home directory of the user, `~`. An empty HOME is ignored: otherwise everything would be in the working directory. */
import { homedir, userInfo } from 'node:os'
import { TroupeError } from '../errors.ts'

/** @throws TroupeError bad_request when neither HOME nor the account names one, as in a container with an arbitrary user id */
export function userHome(): string {
  try {
    return homedir() || userInfo().homedir
  } catch (cause) {
    throw new TroupeError(
      'bad_request',
      'HOME: wanted your home folder, found none; set HOME, or ENGINE_HOME for what Troupe keeps',
      {
        cause
      }
    )
  }
}
