/** Tags of a definition. */

interface Props {
  all: readonly string[]
  /** Maximum that is shown; the title of the last chip names the others. */
  most?: number
}

export function Tags({ all, most = all.length }: Props) {
  const rest = all.slice(most)
  return (
    <>
      {all.slice(0, most).map((tag) => (
        <span key={tag} class="chip">
          {tag}
        </span>
      ))}
      {rest.length > 0 && (
        <span class="chip" title={rest.join(', ')}>
          {rest.length} more
        </span>
      )}
    </>
  )
}
