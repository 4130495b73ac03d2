/* `crypto.randomUUID` is missing on plain HTTP, which a classroom may use; getRandomValues is not. */
export function randomHex(bytes: number): string {
  const values = crypto.getRandomValues(new Uint8Array(bytes))
  return Array.from(values, (value) => value.toString(16).padStart(2, '0')).join('')
}

/* No characters that look alike. */
const LETTERS = 'abcdefghijkmnpqrstuvwxyz23456789'

export function randomPassword(length = 16): string {
  const values = crypto.getRandomValues(new Uint8Array(length))
  return Array.from(values, (value) => LETTERS[value % LETTERS.length]).join('')
}
