import type { Tool } from '@modelcontextprotocol/client'
import { canonicalHash } from '@modelport/runtime'
import { toVisibleText } from './visible-text.js'

/**
 * A tool as the lock keeps it: the hash decides, the parts are for people who read what changed.
 */
export interface ToolPin {
  /** SHA-256 of the canonical JSON of the whole, in hexadecimal. */
  readonly sha256: string
  /**
   * The texts and values by their place, for example `inputSchema.properties.city.type`. Long ones
   * are cut.
   */
  readonly parts: Readonly<Record<string, string>>
}

const mostParts = 200
const mostLength = 2000
/** Maximum characters of all parts of one server. */
const mostCharacters = 1_000_000

/** Pins of the tools by name. What a server could fill a disk with is kept as a hash only. */
export function pinsOf(tools: readonly Tool[]): ReadonlyMap<string, ToolPin> {
  let left = mostCharacters
  const pins = new Map<string, ToolPin>()
  for (const { name, title, description, inputSchema, outputSchema, annotations } of tools) {
    const shown = { title, description, inputSchema, outputSchema, annotations }
    const parts = Object.fromEntries(partsOf(shown, ''))
    left -= JSON.stringify(parts).length
    pins.set(name, { sha256: canonicalHash(shown), parts: left < 0 ? {} : parts })
  }
  return pins
}

function partsOf(value: unknown, path: string): [string, string][] {
  const isInner = typeof value === 'object' && value !== null && Object.keys(value).length > 0
  if (!isInner) return value === undefined ? [] : [[path, toPart(value)]]
  const parts: [string, string][] = []
  for (const [name, inner] of Object.entries(value)) {
    parts.push(...partsOf(inner, path + (path && '.') + toPart(name)))
    if (parts.length > mostParts) break
  }
  return parts.slice(0, mostParts)
}

/** A cut text ends with how much is missing, so that longer and shorter ones differ. */
function toPart(value: unknown): string {
  const text = toVisibleText(typeof value === 'string' ? value : JSON.stringify(value))
  return text.length > mostLength
    ? `${text.slice(0, mostLength)}… (${text.length - mostLength} more)`
    : text
}
