/** Names and values in two columns, without empty ones. */
import type { ComponentChildren } from 'preact'
import { CopyButton } from '../parts/copy/copy-button.tsx'

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

/** Preformatted text. @param what a name for it within a sentence, where it can be copied */
export const Code = ({ text, what }: { text: string | undefined; what?: string }) =>
  text ? (
    <div class="code-box">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reached by keys */}
      <pre class="code" tabIndex={0}>
        {text}
      </pre>
      {what !== undefined && <CopyButton text={text} what={what} />}
    </div>
  ) : null
