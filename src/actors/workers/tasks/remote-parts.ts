/** What the work of placed runs needs of the engine. */
import type { PlacedRuns } from '../../root/placed-runs.ts'
import type { Services } from '../../root/services.ts'
import type { Dispatcher } from './dispatcher.ts'

export interface RemoteParts extends PlacedRuns {
  services: Pick<Services, 'clock' | 'logs' | 'diskSpace' | 'scope' | 'openScope'>
  dispatcher: Dispatcher
  /** Whether the bus has been away for so long that who cannot wait does not wait for it. */
  isAway(): boolean
}
