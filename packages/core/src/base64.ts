/** The bytes in base64. */
export function toBase64(bytes: Uint8Array): string {
  let binary = ''
  // In parts: each byte is an argument of the call, and a call takes a limited number of them.
  for (let start = 0; start < bytes.length; start += 8192)
    binary += String.fromCharCode(...bytes.subarray(start, start + 8192))
  return btoa(binary)
}
