/** Why something cannot be shown. */
import type { Refusal } from '../api.ts'
import { sentence } from '../text.ts'
import { LongText } from './long-text.tsx'

/** @param retry absent: another attempt would not help */
export function Problem({ refusal, retry }: { refusal: Refusal | undefined; retry?: () => void }) {
  if (!refusal) return null
  return (
    <div class="problem" role="alert">
      <p>
        <LongText text={sentence(refusal.message)} label="Why it cannot be shown" />
      </p>
      {retry && (
        <button type="button" class="button small" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  )
}
