/** Why something cannot be shown. */
import type { Refusal } from '../api.ts'

/** @param retry asks again; absent: it would not help */
export function Problem({ refusal, retry }: { refusal: Refusal | undefined; retry?: () => void }) {
  if (!refusal) return null
  return (
    <div class="problem" role="alert">
      <p>{refusal.message}</p>
      {retry && (
        <button type="button" class="button small" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  )
}
