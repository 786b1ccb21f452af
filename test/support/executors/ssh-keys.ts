/** Private ssh keys for tests. */
import ssh2 from 'ssh2'

/**
 * @param passphrase locks it
 * @returns an ed25519 key in OpenSSH's form. One in two hundred is written by ssh2 so that it cannot read it again: that one is not taken
 */
export function privateKey(passphrase?: string): string {
  for (;;) {
    const lock = passphrase === undefined ? undefined : { passphrase, cipher: 'aes256-ctr', rounds: 1 }
    const { private: key } = ssh2.utils.generateKeyPairSync('ed25519', lock)
    if (!(ssh2.utils.parseKey(key, passphrase) instanceof Error)) return key
  }
}
