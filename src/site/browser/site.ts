/** What a page of the site does beyond HTML: theme, copies of code, scrolling by keys, and the search. */
import { addSearch } from './search.ts'

const THEMES = ['system', 'light', 'dark'] as const

function addThemeButton(): void {
  const button = document.querySelector<HTMLButtonElement>('.theme')
  if (!button) return
  const root = document.documentElement
  const current = () => THEMES.find((theme) => theme === root.dataset.theme) ?? 'system'
  const show = () => {
    button.dataset.now = current()
    button.setAttribute('aria-label', `Theme: ${current()}`)
    button.title = `Theme: ${current()}`
  }
  button.hidden = false
  button.addEventListener('click', () => {
    const next = THEMES[(THEMES.indexOf(current()) + 1) % THEMES.length] ?? 'system'
    if (next === 'system') delete root.dataset.theme
    else root.dataset.theme = next
    localStorage.setItem('troupe.theme', next)
    show()
  })
  show()
}

function addCopyButtons(): void {
  // Only where the address is trusted: on another machine without TLS there is no clipboard.
  if (!navigator.clipboard) return
  for (const box of document.querySelectorAll('.code')) {
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'copy'
    button.textContent = 'Copy'
    button.addEventListener('click', () => {
      void navigator.clipboard.writeText(box.querySelector('code')?.textContent ?? '').then(
        () => say(button, 'Copied'),
        () => say(button, 'Refused')
      )
    })
    box.append(button)
  }
}

function say(button: HTMLButtonElement, text: string): void {
  button.textContent = text
  button.addEventListener('pointerleave', () => (button.textContent = 'Copy'), { once: true })
  button.addEventListener('blur', () => (button.textContent = 'Copy'), { once: true })
}

/** A box whose content is wider can be scrolled by keys. */
function letKeysScroll(): void {
  for (const box of document.querySelectorAll<HTMLElement>('.scrolls'))
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0
    else box.removeAttribute('tabindex')
}

/** In a long list of pages the one that is read is in sight. */
function showPlace(): void {
  const list = document.querySelector('.contents')
  const here = list?.querySelector<HTMLElement>('[aria-current]')
  if (list && here && here.offsetTop > list.clientHeight) list.scrollTop = here.offsetTop - list.clientHeight / 2
}

addThemeButton()
showPlace()
addCopyButtons()
addSearch()
letKeysScroll()
addEventListener('resize', letKeysScroll)
