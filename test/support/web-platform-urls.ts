import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sharedPath } from './shared.js'

const folder = sharedPath('corpora/wpt-url')

/** Every address of the web platform tests, and each as a host too; undefined, with the reason printed, where they are missing. */
export function webPlatformUrls(): ReadonlySet<string> | undefined {
  if (!folder) return undefined
  const urls = new Set<string>()
  const collect = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(collect)
    else if (typeof value === 'object' && value !== null) {
      const { input, base, href } = value as Record<string, unknown>
      for (const text of [input, base, href]) if (typeof text === 'string') urls.add(text).add(`https://${text}/`)
      Object.values(value).forEach(collect)
    }
  }
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.json'))
  for (const name of files) collect(JSON.parse(readFileSync(join(folder, name), 'utf8')))
  return urls
}
