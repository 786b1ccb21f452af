/** Says so when a file of the page does not come: without its script nothing else could. It comes before all others and needs none. */

/** Looks out for elements that cannot load their file, and for a script that ends before it has drawn anything, from now on. */
export function sayWhatIsMissing(): void {
  const look = async (event: Event) => {
    const { target } = event
    if (isFile(target)) {
      const address = addressOf(target)
      say(`${new URL(address).pathname} did not come. ${await whyNot(address)}`)
    } else if (event instanceof ErrorEvent && document.querySelector('#page > :not(noscript)') === null)
      // What came is no script, such as the page of a proxy, or this browser does not know its language.
      say(`its script cannot run: ${event.message}. Reload the page, or try a current browser.`)
  }
  // The error of an element does not bubble.
  addEventListener('error', (event) => void look(event), { capture: true })
}

type FileElement = HTMLScriptElement | HTMLLinkElement
const isFile = (target: EventTarget | null): target is FileElement =>
  target instanceof HTMLScriptElement || (target instanceof HTMLLinkElement && target.rel === 'stylesheet')

const addressOf = (element: FileElement) => (element instanceof HTMLScriptElement ? element.src : element.href)

const PROXY =
  'Behind a proxy: let it pass the Host and Origin headers on as they came (nginx: proxy_set_header Host $http_host), ' +
  'or tell the server of it: server.trustedProxies for its address, cors.allowedOrigins for the address that you see in the browser.'

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

/** What the server says about it, in its own words where there are some. */
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
