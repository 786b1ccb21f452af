/** Filters of a list. Their values are in the address; a change returns to the first page. */
import { changeQuery } from '../route.ts'

interface Filter {
  label: string
  /** In the address. */
  name: string
  value: string
}
/** What is typed in one go is one change. */
let typedIn: EventTarget | undefined
const change = ({ name }: Filter, value: string, field?: EventTarget) => {
  changeQuery({ [name]: value, page: undefined }, field !== undefined && field === typedIn ? 'replace' : 'push')
  typedIn = field
}

export const TextFilter = (filter: Filter) => (
  <label class="field">
    <span class="unseen">{filter.label}</span>
    <input
      type="search"
      placeholder={filter.label}
      value={filter.value}
      onInput={({ currentTarget }) => change(filter, currentTarget.value, currentTarget)}
      onBlur={() => {
        typedIn = undefined
      }}
    />
  </label>
)

/** @param choices values and what is shown for them; the empty value first */
export const ChoiceFilter = ({ choices, ...filter }: Filter & { choices: (readonly [string, string])[] }) => (
  <label class="field">
    <span class="unseen">{filter.label}</span>
    <select value={filter.value} onChange={({ currentTarget }) => change(filter, currentTarget.value)}>
      {choices.map(([value, text]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </select>
  </label>
)
