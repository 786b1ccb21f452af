/** When a definition is started: each of its cron expressions in words, with its zone. */
import { useCronWords } from './cron-words.ts'
import { meaningText } from './meaning.ts'

interface Props {
  expressions: readonly string[]
}

/** More of them scroll. */
const FEW = 8

export function Schedule({ expressions }: Props) {
  const meaningOf = useCronWords()
  const list = (
    <ul class="schedule">
      {expressions.map((expression) => (
        <li key={expression}>
          {meaningText(expression, meaningOf(expression))} <code>{expression}</code>
        </li>
      ))}
    </ul>
  )
  if (expressions.length <= FEW) return list
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reached by keys
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields
    <div class="long" role="group" tabIndex={0} aria-label="Schedule">
      {list}
    </div>
  )
}

/** The schedule in one line; what does not fit is in its title. */
export function ScheduleLine({ expressions }: Props) {
  const meaningOf = useCronWords()
  const text = expressions.map((expression) => meaningText(expression, meaningOf(expression))).join('; ')
  return (
    <span class="soft short" title={`${text}\n${expressions.join('\n')}`}>
      {text}
    </span>
  )
}
