/** Small fields above a list: a text that is looked for, something that is on or off, and buttons. */
import { Icon, type IconName } from './icon.tsx'

interface SearchProps {
  /** The name of the search, for those who do not see the placeholder. */
  label: string
  placeholder: string
  value: string
  onText: (text: string) => void
}

export const SearchField = ({ label, placeholder, value, onText }: SearchProps) => (
  <label class="field">
    <span class="unseen">{label}</span>
    <input
      type="search"
      placeholder={placeholder}
      value={value}
      onInput={({ currentTarget }) => onText(currentTarget.value)}
    />
  </label>
)

interface CheckProps {
  text: string
  /** Shown in the place of the text. */
  icon?: IconName
  isOn: boolean
  isDisabled?: boolean
  onChange: (isOn: boolean) => void
}

export const Check = ({ text, icon, isOn, isDisabled = false, onChange }: CheckProps) => (
  <label class={icon ? 'pressed plain round' : 'check'} title={icon && text}>
    <input
      type="checkbox"
      checked={isOn}
      disabled={isDisabled}
      onChange={({ currentTarget }) => onChange(currentTarget.checked)}
    />
    {icon && <Icon name={icon} />}
    <span class={icon && 'unseen'}>{text}</span>
  </label>
)

interface IconButtonProps {
  text: string
  icon: IconName
  isOff?: boolean
  isPressed?: boolean
  onAct: () => void
}

/** A button whose text is in its title, and read out. */
export const IconButton = ({ text, icon, isOff = false, isPressed, onAct }: IconButtonProps) => (
  <button
    type="button"
    class="plain round"
    aria-label={text}
    aria-pressed={isPressed}
    title={text}
    disabled={isOff}
    onClick={onAct}
  >
    <Icon name={icon} />
  </button>
)

/** Leaves only what the selected step did. @param selected its name; undefined: none is selected */
export const OnlySelected = ({
  selected,
  isOn,
  onChange
}: Pick<CheckProps, 'isOn' | 'onChange'> & { selected: string | undefined }) => (
  <Check
    text={selected === undefined ? 'Only the selected step' : `Only ${selected}`}
    isOn={isOn}
    isDisabled={selected === undefined}
    onChange={onChange}
  />
)
