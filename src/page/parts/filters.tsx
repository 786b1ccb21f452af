/** Filters of a list. Their values are in the address; a change returns to the first page. */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { changeQuery } from '../route.ts'
import { Icon } from './icon.tsx'

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

/** The filters of a list. On a phone they are behind one button. @param values those of the filters; an empty one: it is not used */
export function Filters({ values, children }: { values: readonly string[]; children: ComponentChildren }) {
  const [isOpen, setOpen] = useState(false)
  const count = values.filter(Boolean).length
  return (
    <div class={`filters ${isOpen ? 'open' : ''}`}>
      <button type="button" class="button filter-button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Icon name="filter" /> Filter{count > 0 && ` (${count})`}
      </button>
      {children}
    </div>
  )
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

interface Toggles {
  label: string
  /** In the address, once for each value. */
  name: string
  /** Chosen values; none: any. */
  values: readonly string[]
  /** The words of the button that takes all of them back. */
  any: string
  choices: readonly { value: string; text: string; mark: ComponentChildren }[]
}

/** Several values may be chosen: one press adds a value, another one takes it back. */
export function ToggleFilter({ label, name, values, any, choices }: Toggles) {
  const choose = (next: readonly string[]) => changeQuery({ [name]: [...next], page: undefined })
  return (
    <fieldset class="toggles">
      <legend class="unseen">{label}</legend>
      <button type="button" class="toggle" aria-pressed={values.length === 0} onClick={() => choose([])}>
        {any}
      </button>
      {choices.map(({ value, text, mark }) => {
        const isChosen = values.includes(value)
        return (
          <button
            key={value}
            type="button"
            class="toggle"
            aria-pressed={isChosen}
            onClick={() => choose(isChosen ? values.filter((it) => it !== value) : [...values, value])}
          >
            {mark}
            {text}
          </button>
        )
      })}
    </fieldset>
  )
}
