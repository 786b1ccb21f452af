/** A placeholder for an answer that has not arrived yet. */
export const Awaited = () => (
  <p class="soft awaited" aria-busy="true">
    Loading…
  </p>
)
