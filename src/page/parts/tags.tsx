/** Tags of a definition. */

interface Props {
  all: readonly string[]
  /** Most that are shown; the title of what stands for the others names them. */
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
