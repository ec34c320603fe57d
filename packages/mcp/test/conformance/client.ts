// The client that the conformance suite of the protocol starts for each scenario: all that it does
// goes through `mcpTools`.
import process from 'node:process'
import {
  ClientCredentialsProvider,
  type OAuthClientProvider,
  PrivateKeyJwtProvider,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
} from '@modelcontextprotocol/client'
import { isLlmError, type JsonObject, type ToolCall } from '@modelport/core'
import { type McpSource, mcpTools } from '@modelport/mcp'
import { executeBatch, type StoredQuestion } from '@modelport/runtime'

const url = process.argv.at(-1) ?? ''
const scenario = process.env['MCP_CONFORMANCE_SCENARIO'] ?? ''
const context = JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}') as Record<
  string,
  string | undefined
>
const callbackUrl = 'http://localhost:3000/callback'

/** A browser of a user who agrees to everything at once. */
class Browser implements OAuthClientProvider {
  callback: URLSearchParams | undefined
  #client: StoredOAuthClientInformation | undefined
  #tokens: StoredOAuthTokens | undefined
  #verifier = ''
  readonly redirectUrl = callbackUrl
  readonly clientMetadataUrl = 'https://conformance-test.local/client-metadata.json'
  readonly clientMetadata = { client_name: 'modelport', redirect_uris: [callbackUrl] }

  constructor(registered: StoredOAuthClientInformation | undefined) {
    this.#client = registered
  }

  clientInformation = () => this.#client
  tokens = () => this.#tokens
  codeVerifier = () => this.#verifier

  saveClientInformation(client: StoredOAuthClientInformation) {
    this.#client = client
  }

  saveTokens(tokens: StoredOAuthTokens) {
    this.#tokens = tokens
  }

  saveCodeVerifier(verifier: string) {
    this.#verifier = verifier
  }

  async redirectToAuthorization(address: URL) {
    const { headers } = await fetch(address, { redirect: 'manual' })
    this.callback = new URL(headers.get('location') ?? callbackUrl).searchParams
  }
}

const {
  client_id = '',
  client_secret = '',
  private_key_pem: privateKey = '',
  signing_algorithm = 'ES256',
} = context
const browser = new Browser(
  scenario === 'auth/pre-registration' ? { client_id, client_secret } : undefined,
)
/* oxlint-disable typescript/no-deprecated -- the issuer, which they should be told, is found by the scenario's discovery only */
const machines: Readonly<Record<string, () => OAuthClientProvider>> = {
  'auth/client-credentials-basic': () =>
    new ClientCredentialsProvider({ clientId: client_id, clientSecret: client_secret }),
  'auth/client-credentials-jwt': () =>
    new PrivateKeyJwtProvider({ clientId: client_id, privateKey, algorithm: signing_algorithm }),
}
/* oxlint-enable typescript/no-deprecated */
const authProvider = machines[scenario]?.() ?? browser

/**
 * What a model could write: a value of the type of each field, or the calls that the scenario
 * names, without fields that hold nothing.
 */
function callsOf(tools: Awaited<ReturnType<McpSource['tools']>>): readonly ToolCall[] {
  const named = context['toolCalls'] as unknown as
    | readonly { name: string; arguments: JsonObject }[]
    | undefined
  // A scenario has the schema of its first tool sent back, to see what is left of it.
  const schema = tools[0]?.definition.parameters
  const values: Readonly<Record<string, unknown>> = {
    number: 5,
    integer: 5,
    boolean: true,
    object: schema,
    array: [],
  }
  const made = tools.map(({ definition: { name, parameters } }) => {
    const properties = (parameters?.['properties'] ?? {}) as Readonly<
      Record<string, { readonly type?: string }>
    >
    const args = Object.entries(properties).map(
      ([field, { type = '' }]) => [field, values[type] ?? 'text'] as const,
    )
    return { name, arguments: Object.fromEntries(args) }
  })
  return (named ?? made).map(({ name, arguments: given }, index) => {
    const args = Object.fromEntries(
      Object.entries(given).filter(([, value]) => value !== null),
    ) as JsonObject
    return { id: `call_${index}`, name, arguments: args, argumentsText: JSON.stringify(args) }
  })
}

/** What a user sends who leaves a form as it is shown. */
const defaultsOf = ({ schema }: StoredQuestion): JsonObject =>
  Object.fromEntries(
    Object.entries((schema?.['properties'] ?? {}) as Readonly<Record<string, JsonObject>>).flatMap(
      ([name, field]) =>
        'default' in field
          ? [[name, field['default']]]
          : field['type'] === 'boolean'
            ? [[name, true]]
            : [[name, 'text']],
    ),
  )

/** Lists and calls everything, and signs in as often as the server asks for it. */
async function use(source: McpSource): Promise<void> {
  for (let signedIn = 0; ; signedIn++) {
    const failed = await attempt(source)
    if (!failed) return
    const { callback } = browser
    browser.callback = undefined
    if (!callback || signedIn > 1) throw failed
    await source.finishSignIn(callback)
  }
}

async function attempt(source: McpSource): Promise<Error | undefined> {
  try {
    const tools = await source.tools()
    let failed: Error | undefined
    for (const call of callsOf(tools)) {
      const answers: StoredQuestion[] = []
      for (
        let asked: StoredQuestion | undefined, isFirst = true;
        asked ?? isFirst;
        isFirst = false
      ) {
        if (asked)
          answers.push({ ...asked, answer: { action: 'accept', content: defaultsOf(asked) } })
        asked = undefined
        await executeBatch([call], {
          tools,
          step: 1,
          answers: () => answers,
          onResult: (_call, _result, outcome) => {
            asked = (outcome.value as { readonly question?: StoredQuestion } | undefined)?.question
            console.log(call.name, JSON.stringify(outcome))
            if (browser.callback) failed = new Error(JSON.stringify(outcome))
          },
        })
      }
    }
    return failed
  } catch (error) {
    return error as Error
  }
}

// The ports of authorization servers are not known before: whoever is named by the error is
// declared, as a user would.
const authHosts: string[] = []
for (let tries = 0; ; tries++) {
  const source = mcpTools({
    name: 'conformance',
    transport: { url, authProvider, authHosts },
    elicitation: true,
  })
  try {
    await use(source)
    await source.close()
    break
  } catch (error) {
    await source.close()
    const host = /it leads to (\S+) instead of/.exec(String(error))?.[1]
    if (!isLlmError(error) || !host || tries > 5) throw error
    authHosts.push(host)
  }
}
