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
  const isMany = expressions.length > FEW
  return (
    <ul
      class={`schedule ${isMany ? 'long' : ''}`}
      tabIndex={isMany ? 0 : undefined}
      aria-label={isMany ? 'Schedule' : undefined}
    >
      {expressions.map((expression) => (
        <li key={expression}>
          {meaningText(expression, meaningOf(expression))} <code>{expression}</code>
        </li>
      ))}
    </ul>
  )
}

/** The same in one line; what does not fit is in its title. */
export function ScheduleLine({ expressions }: Props) {
  const meaningOf = useCronWords()
  const text = expressions.map((expression) => meaningText(expression, meaningOf(expression))).join('; ')
  return (
    <span class="soft short" title={`${text}\n${expressions.join('\n')}`}>
      {text}
    </span>
  )
}
