import { citedRules, conformance, type HarnessConfig, openaiChat } from '@modelport/conformance'
import type { ErrorCode, Provider } from '@modelport/core'
import { agents } from './agents.ts'
import { aiSdk } from './ai-sdk.ts'
import { type KitResult, runKit } from './kit-runner.ts'
import { langChain } from './langchain.ts'
import { notApplicable } from './not-applicable.ts'
import { apiKey, type Peer, toProvider } from './peer.ts'
import { piAi } from './pi-ai.ts'
import { tanStack } from './tanstack.ts'

/** The libraries that are compared. */
export const peers: readonly Peer[] = [aiSdk, langChain, piAi, tanStack, agents]

/** What a failure may be called for which a library documents no kind. */
const names: readonly ErrorCode[] = [
  'truncated',
  'protocol',
  'network',
  'server',
  'invalid-request',
]

const withoutRules = (title: string): string =>
  title.slice(citedRules(title).join(', ').length).trimStart()
/** True for a test that applies to any library and has the text in its title. */
const applies = (title: string, text: string): boolean =>
  title.includes(text) &&
  !Object.keys(notApplicable).some((start) => withoutRules(title).startsWith(start))

/** Runs those tests of the kit that apply to any library and have the text in their title. */
export const runProvider = (
  name: string,
  create: (config: HarnessConfig) => Provider,
  text: string,
): Promise<readonly KitResult[]> => runTests(name, create, (title) => applies(title, text))

const runTests = (
  name: string,
  create: (config: HarnessConfig) => Provider,
  wanted: (title: string) => boolean,
): Promise<readonly KitResult[]> =>
  runKit((runner) => {
    conformance(runner, { name, create, format: openaiChat, apiKey })
  }, wanted)

/** The same for a library, each test under the name of failures that lets it pass. */
export async function runPeer(peer: Peer, text: string): Promise<readonly KitResult[]> {
  const results = new Map<string, KitResult>()
  let wanted = (title: string): boolean => applies(title, text)
  for (const unnamed of names) {
    for (const result of await runTests(
      peer.name,
      (config) => toProvider(peer, config, unnamed),
      wanted,
    ))
      if (result.state === 'passed' || !results.has(result.title)) results.set(result.title, result)
    wanted = (title) => {
      const { state, message = '' } = results.get(title) ?? {}
      return state === 'failed' && /rejected with|the code is|kept/.test(message)
    }
  }
  return [...results.values()]
}
