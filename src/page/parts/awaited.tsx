/** Stands for an answer that has not come yet: nothing else is shown in its place. */
export const Awaited = () => (
  <p class="soft awaited" aria-busy="true">
    Loading…
  </p>
)
