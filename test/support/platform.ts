/**
 * Elsewhere it is the platform's own fetch that sends, which unpacks bodies itself and may keep the
 * reason of a failure to itself.
 */
export const deno: boolean = 'Deno' in globalThis
/** True where undici sends; tests of it skip elsewhere, and the reason is printed. */
export const node: boolean = !deno && process.versions['bun'] === undefined
if (!node) console.log('skipped, of some tests: only on Node a transport of our own sends')
