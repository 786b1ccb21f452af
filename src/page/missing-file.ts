/** Reports a file of the page that cannot be loaded. Runs before the page's script, which may be the missing file. */

/** Watches for elements that cannot load their file, and for a script that throws before it has rendered anything. */
export function sayWhatIsMissing(): void {
  const look = async (event: Event) => {
    const { target } = event
    if (isFile(target)) {
      const address = addressOf(target)
      say(`${new URL(address).pathname} could not be loaded. ${await whyNot(address)}`)
    } else if (event instanceof ErrorEvent && document.querySelector('#page > :not(noscript)') === null)
      // The response is not a script, such as a page of a proxy, or this browser is too old for it.
      say(`its script cannot run: ${event.message}. Reload the page, or try a current browser.`)
  }
  // The error of an element does not bubble.
  addEventListener('error', (event) => void look(event), { capture: true })
}

type FileElement = HTMLScriptElement | HTMLLinkElement
/** A file of the page itself. Files that the page loads later it reports itself: such scripts are `async`. */
const isFile = (target: EventTarget | null): target is FileElement =>
  (target instanceof HTMLScriptElement && !target.async) ||
  (target instanceof HTMLLinkElement && target.rel === 'stylesheet')

const addressOf = (element: FileElement) => (element instanceof HTMLScriptElement ? element.src : element.href)

const PROXY =
  'Behind a proxy: have it forward the Host and Origin headers unchanged (nginx: proxy_set_header Host $http_host), or add its ' +
  'address to server.trustedProxies and the address that you see in the browser to cors.allowedOrigins.'

function say(what: string): void {
  const text = `This page cannot be shown: ${what}`
  const shown = document.createElement('main')
  shown.className = 'problem'
  shown.setAttribute('role', 'alert')
  for (const sentence of [text, PROXY]) shown.appendChild(document.createElement('p')).textContent = sentence
  const put = () => document.body.prepend(shown)
  if (document.readyState === 'loading') addEventListener('DOMContentLoaded', put)
  else put()
}

/** The server's reason, in its own words where it gave some. */
async function whyNot(address: string): Promise<string> {
  try {
    const answer = await fetch(address)
    if (answer.ok) return 'Reload the page.'
    const { message = '' }: { message?: string } = await answer.json().catch(() => ({}))
    return `The answer was ${answer.status}${message === '' ? '' : `: ${message}`}.`
  } catch {
    return 'The server does not answer.'
  }
}
