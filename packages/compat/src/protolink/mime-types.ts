/** Media types that agents commonly exchange; any other media type is allowed. */
export const mimeTypes: readonly string[] = Object.freeze([
  'text/plain',
  'text/markdown',
  'text/html',
  'application/json',
  'image/png',
  'image/jpeg',
  'image/webp',
  'audio/wav',
  'audio/mpeg',
  'audio/ogg',
  'video/mp4',
  'video/webm',
  'application/pdf',
])
