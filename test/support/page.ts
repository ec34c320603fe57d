import { vi } from 'vitest'

/** Makes code believe that it runs in a browser's page, until `vi.unstubAllGlobals()`. */
export function stubPage(): void {
  for (const name of ['window', 'navigator'] as const)
    vi.stubGlobal(name, { document: {}, userAgent: 'a browser' })
}
