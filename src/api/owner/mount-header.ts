/** What a process with a mount says of a request that it passes on. Any process that can open the socket could say it. */
export const MOUNT_HEADER = 'troupe-mount'
