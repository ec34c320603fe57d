import { AgentError } from '../base/agent-error.js'
import type { Endpoint } from './endpoint.js'

const supported = (isLegacyServed: boolean): string => (isLegacyServed ? '1.0, 0.3' : '1.0')

/**
 * The version of A2A that a request speaks: its header `A2A-Version`, or the parameter of that name. None is 0.3; a patch number does not count.
 * @throws {AgentError} `version-not-supported` — the endpoint does not speak it.
 */
export function versionOf(request: Request, url: URL, endpoint: Endpoint, isLegacyServed: boolean): string {
  if (!endpoint.wire.startsWith('A2A')) return '1.0'
  const given = (request.headers.get('a2a-version') ?? url.searchParams.get('A2A-Version') ?? '').trim()
  const [named = ''] = /^\d+\.\d+(?=\.\d+$|$)/.exec(given) ?? []
  const version = given ? named : '0.3'
  if (version === '1.0' && endpoint.wire === 'A2A 1.0') return version
  // A card is readable whatever the caller speaks: it says which versions are served.
  if (endpoint.name === 'AgentCard') return version === '0.3' ? version : '1.0'
  const isServed = version === '0.3' && isLegacyServed && (endpoint.wire === 'A2A 0.3' || endpoint.name === 'JsonRpc')
  if (isServed) return version
  const shown = given.slice(0, 20) || '0.3, which a request without the header A2A-Version speaks'
  throw new AgentError(
    'version-not-supported',
    `${endpoint.path} does not speak A2A ${shown}; the server speaks ${supported(isLegacyServed)}`,
    { metadata: { supportedVersions: supported(isLegacyServed) } },
  )
}
