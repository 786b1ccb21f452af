/** The clipboard of the visitor. */

/** @throws Error in words where the browser has none for this page */
export async function putIntoClipboard(text: string): Promise<void> {
  if (!navigator.clipboard) throw new Error('The browser lets a page copy only over HTTPS, or from localhost.')
  await navigator.clipboard.writeText(text)
}
