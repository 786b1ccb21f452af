/** What a process listens on, from the system. */
import { readFileSync, readlinkSync } from 'node:fs'

/** Ports (TCP, IPv4). */
export function listening(pid: number): number[] {
  const rows = readFileSync(`/proc/${pid}/net/tcp`, 'utf8').split('\n').slice(1)
  const own = new Set(descriptorsOf(pid).flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? []))
  return rows.flatMap((row) => {
    const [, local = '', , state, , , , , , inode = ''] = row.trim().split(/\s+/)
    return state === '0A' && own.has(inode) ? [Number.parseInt(local.split(':')[1] ?? '', 16)] : []
  })
}

function descriptorsOf(pid: number): string[] {
  const links: string[] = []
  for (let fd = 0; fd < 256; fd++)
    try {
      links.push(readlinkSync(`/proc/${pid}/fd/${fd}`))
    } catch {
      // it is not open
    }
  return links
}
