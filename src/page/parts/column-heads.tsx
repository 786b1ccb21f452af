/** The heads of the columns of a table that is not sorted by them. */

/** @param of in their order @param figures those whose columns have figures, which are below each other @param last of a column of buttons, which those who look need no head for */
export const ColumnHeads = ({
  of: texts,
  figures = [],
  last
}: {
  of: readonly string[]
  figures?: readonly string[]
  last?: string
}) => (
  <thead>
    <tr>
      {texts.map((text) => (
        <th key={text} scope="col" class={figures.includes(text) ? 'figure' : undefined}>
          {text}
        </th>
      ))}
      {last !== undefined && (
        <th scope="col">
          <span class="unseen">{last}</span>
        </th>
      )}
    </tr>
  </thead>
)
