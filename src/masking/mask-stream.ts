/** Masking as a Node stream in front of the log file, for in-process executors. Source: execution-semantics 14.4.6. */
import { Transform } from 'node:stream'
import type { SecretMark } from '../../machines/vocabulary.ts'
import type { Clock } from '../clock.ts'
import { openMasker } from './masker.ts'
import type { Secrets } from './secrets.ts'
import { timedMasker } from './timed-masker.ts'

/** @param note receives which secrets the masks stand for; `at` is the offset in this stream's output */
export function maskStream({ patterns }: Secrets, clock: Clock, note?: (mark: SecretMark) => void): Transform {
  const masker = timedMasker(openMasker(patterns, note), clock, (bytes) => {
    if (!stream.destroyed) stream.push(bytes)
  })
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      masker.push(chunk)
      done()
    },
    flush(done) {
      masker.end()
      done()
    },
    destroy(error, done) {
      masker.end() // its timer must not outlive it
      done(error)
    }
  })
  return stream
}
