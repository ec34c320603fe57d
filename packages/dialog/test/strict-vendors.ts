import type { WireRequest } from '@modelport/conformance'
import type { ChatMessage } from '@modelport/core'
import { type SuiteSettings, testedApis } from '../../../test/providers.js'

const defaults = { retry: { attempts: 1 } }

/**
 * What the rules of each vendor's API say about a request with these messages; the conversation
 * continues with a user message where it ends with the model's.
 */
export async function strictProblems(messages: readonly ChatMessage[]): Promise<readonly string[]> {
  const last = messages.at(-1)
  const sent: readonly ChatMessage[] =
    last?.role === 'assistant' ? [...messages, { role: 'user', content: 'Continue.' }] : messages
  const found: string[] = []
  for (const { name, format, create } of testedApis) {
    let request: WireRequest | undefined
    const fetch: SuiteSettings['fetch'] = async (input, init = {}) => {
      const asked = new Request(input, init)
      const { pathname, search } = new URL(asked.url)
      const body: unknown = JSON.parse(await asked.text())
      request = {
        method: asked.method,
        path: pathname + search,
        headers: Object.fromEntries(asked.headers),
        body,
      }
      return new Response('{}', { status: 400 })
    }
    const provider = create({ defaults, fetch })
    await provider.generate(sent).catch((error: unknown) => {
      if (!request) found.push(`${name}: nothing was sent: ${String(error)}`)
    })
    if (request)
      found.push(...format.violations(request).map((violation) => `${name}: ${violation}`))
  }
  return found
}
