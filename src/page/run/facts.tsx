/** Names and values in two columns, without empty ones. */
import type { ComponentChildren } from 'preact'

export const Facts = ({ rows }: { rows: readonly (readonly [name: string, value: ComponentChildren])[] }) => (
  <dl class="facts">
    {rows
      .filter(([, value]) => value !== undefined && value !== '' && value !== null)
      .map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
  </dl>
)

/** Preformatted text. */
export const Code = ({ text }: { text: string | undefined }) =>
  text ? (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reached by keys
    <pre class="code" tabIndex={0}>
      {text}
    </pre>
  ) : null
