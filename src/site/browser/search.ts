/** The search: an index of the same server, loaded with the first use of the field. Keys: `/` or Ctrl-K, arrows, Enter, Escape. */
import { type Found, type Search, searchOf } from './ranking.ts'
import { ROW } from './search-options.ts'

const MOST = 12

export function addSearch(): void {
  const form = document.querySelector<HTMLFormElement>('form.search')
  const field = form?.querySelector<HTMLInputElement>('input')
  const list = form?.querySelector<HTMLElement>('[role=listbox]')
  const state = form?.querySelector<HTMLElement>('[role=status]')
  if (!form || !field || !list || !state) return
  const root = form.dataset.root ?? './'
  form.hidden = false
  let loading: Promise<Search> | undefined
  let chosen = -1

  const load = () => {
    loading ??= fetch(`${root}search.json`)
      .then((answer) => {
        if (!answer.ok) throw new Error(`the server answered with ${answer.status}`)
        return answer.text()
      })
      .then(searchOf)
    loading.catch(() => (loading = undefined))
    return loading
  }

  const choose = (next: number): void => {
    const options = [...list.children]
    chosen = options.length === 0 ? -1 : (next + options.length) % options.length
    options.forEach((option, at) => {
      option.setAttribute('aria-selected', String(at === chosen))
    })
    const option = options[chosen]
    if (option) {
      field.setAttribute('aria-activedescendant', option.id)
      option.scrollIntoView({ block: 'nearest' })
    } else field.removeAttribute('aria-activedescendant')
  }

  const close = () => show([], '')
  const show = (found: Found[], text: string): void => {
    list.replaceChildren(...found.map((one, at) => optionOf(one, at, root)))
    const isOpen = found.length > 0
    list.hidden = !isOpen
    field.setAttribute('aria-expanded', String(isOpen))
    state.textContent = text === '' ? '' : isOpen ? `${found.length} results` : `Nothing found for “${text}”`
    state.classList.toggle('seen', text !== '' && !isOpen)
    choose(isOpen ? 0 : -1)
  }

  const find = async (): Promise<void> => {
    const text = field.value.trim()
    if (text === '') {
      close()
      return
    }
    try {
      const search = await load()
      // Something else was typed meanwhile.
      if (field.value.trim() === text) show(search(text, MOST), text)
    } catch (error) {
      close()
      state.textContent = `The search cannot be loaded: ${String(error)}`
      state.classList.add('seen')
    }
  }

  field.addEventListener('focus', () => void load().catch(() => {}))
  field.addEventListener('input', () => void find())
  field.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault()
      choose(chosen + (event.key === 'ArrowDown' ? 1 : -1))
    } else if (event.key === 'Escape') {
      field.value = ''
      close()
    }
  })
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    const option = list.children[chosen]
    if (option instanceof HTMLElement) option.click()
  })
  list.addEventListener('click', close)
  document.addEventListener('click', ({ target }) => {
    if (!form.contains(target as Node)) close()
  })
  document.addEventListener('keydown', (event) => {
    const isWriting = event.target instanceof HTMLInputElement
    if ((event.key === '/' && !isWriting) || (event.key === 'k' && (event.ctrlKey || event.metaKey))) {
      event.preventDefault()
      field.focus()
      field.select()
    }
  })
}

function optionOf({ id, title, page, start }: Found, at: number, root: string): HTMLElement {
  const option = document.createElement('a')
  option.role = 'option'
  option.id = `found-${at}`
  option.href = root + (id.split(ROW, 1)[0] ?? '')
  // The field keeps the focus.
  option.tabIndex = -1
  for (const [name, text] of Object.entries({ name: title, of: title === page ? '' : page, start })) {
    if (text === '') continue
    const part = document.createElement('span')
    part.className = name
    part.textContent = text
    option.append(part)
  }
  return option
}
