/** A proxy between a worker and its broker: it can cut connections, let them go on without a byte, or half-open them. */
import { connect, createServer, type Socket } from 'node:net'

/**
 * `open`: everything passes. `cut`: connections are closed, and none is made. `stalled`: bytes wait, and arrive late. `deaf`, `mute`: the
 * same, only to the worker or only from it. `half-open`: the broker's side is closed, and the worker is not told.
 */
export type LinkState = 'open' | 'cut' | 'stalled' | 'deaf' | 'mute' | 'half-open'
export const LINK_FAULTS: readonly LinkState[] = ['cut', 'stalled', 'deaf', 'mute', 'half-open']

export interface Link {
  readonly port: number
  set(state: LinkState): void
  close(): void
}

interface Pair {
  worker: Socket
  broker: Socket
  /** The broker's side is gone; the worker waits for nothing. */
  isHalf: boolean
}

/** @param change what the worker sends, as text of one byte for each character */
export function openLink(to: number, change: (text: string) => string = (text) => text): Promise<Link> {
  const pairs = new Set<Pair>()
  let state: LinkState = 'open'

  const apply = ({ worker, broker, isHalf }: Pair) => {
    if (isHalf) return
    const waits = {
      toWorker: state === 'stalled' || state === 'deaf',
      toBroker: state === 'stalled' || state === 'mute'
    }
    waits.toWorker ? broker.pause() : broker.resume()
    waits.toBroker ? worker.pause() : worker.resume()
  }
  const server = createServer((worker) => {
    const broker = connect({ port: to, host: '127.0.0.1' })
    const pair: Pair = { worker, broker, isHalf: false }
    pairs.add(pair)
    worker.on('data', (bytes) => {
      if (!pair.isHalf) broker.write(Buffer.from(change(bytes.toString('latin1')), 'latin1'))
    })
    broker.on('data', (bytes) => worker.write(bytes))
    const end = () => {
      pairs.delete(pair)
      broker.destroy()
      worker.destroy()
    }
    worker.on('error', () => {}).on('close', end)
    broker.on('error', () => {}).on('close', () => pair.isHalf || end())
    if (state === 'cut' || state === 'half-open') end()
    else apply(pair)
  })
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      resolve({
        port: typeof address === 'object' && address ? address.port : 0,
        set(next) {
          state = next
          for (const pair of [...pairs]) {
            if (state === 'cut') pair.worker.destroy()
            else if (state === 'half-open') {
              pair.isHalf = true
              pair.worker.resume()
              pair.broker.destroy()
            } else apply(pair)
          }
        },
        close() {
          server.close()
          for (const { worker } of pairs) worker.destroy()
        }
      })
    })
  })
}
