import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { AGENT_CARD_PATH, generateAgentCardSignature } from '@a2a-js/sdk'
import {
  type AgentExecutor,
  DefaultRequestHandler,
  InMemoryTaskStore,
  type User,
} from '@a2a-js/sdk/server'
import {
  agentCardHandler,
  jsonRpcHandler,
  restHandler,
  UserBuilder,
} from '@a2a-js/sdk/server/express'
import express, { type Request } from 'express'

/** One interface of a card, as the official SDK writes it. */
interface Interface {
  readonly protocolBinding: 'JSONRPC' | 'HTTP+JSON'
  readonly protocolVersion: '1.0' | '0.3'
}

/** How the official server is set up. */
export interface OfficialServerOptions {
  /** Default: both bindings of 1.0, and JSON-RPC of 0.3. */
  readonly interfaces?: readonly Interface[]
  /**
   * What the agent does. Default: replies at once with one artifact, or asks back when it hears
   * `ask`.
   */
  readonly answer?: string
  /** Chunks of artifacts that it sends in place of the answer. */
  readonly chunks?: readonly {
    readonly id: string
    readonly texts: readonly string[]
    readonly append?: boolean
  }[]
  /** Description of the card for the bearer of the token; without it there is no extended card. */
  readonly extended?: { readonly token: string; readonly description: string }
  /** Who signs the card, as the official SDK does it. Default: nobody. */
  readonly signer?: { readonly key: CryptoKey; readonly kid: string }
  /** Fields of the card that are changed after it was signed. */
  readonly change?: Readonly<Record<string, unknown>>
}

/** A server of the official SDK in this process. */
export interface OfficialServer {
  readonly url: string
  /** The requests it got: method and path. */
  readonly requests: readonly string[]
  /** Changes fields of its card from now on, and leaves its signature as it is. */
  change(fields: Readonly<Record<string, unknown>>): void
  close(): void
}

const usual: readonly Interface[] = [
  { protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
  { protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' },
  { protocolBinding: 'JSONRPC', protocolVersion: '0.3' },
]

/** Makes the card of the official server. It speaks JSON-RPC at `/rpc` and HTTP+JSON at `/rest`. */
const cardOf = (url: string, interfaces: readonly Interface[], extended: boolean) => ({
  name: 'sdk',
  description: 'The official server',
  version: '1.0.0',
  provider: undefined,
  documentationUrl: undefined,
  iconUrl: undefined,
  supportedInterfaces: interfaces.map((each) => ({
    ...each,
    url: each.protocolBinding === 'JSONRPC' ? `${url}/rpc` : `${url}/rest`,
    tenant: '',
  })),
  capabilities: {
    streaming: true,
    pushNotifications: false,
    extensions: [],
    extendedAgentCard: extended,
  },
  securitySchemes: {},
  securityRequirements: [],
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [],
  signatures: [],
})

/** An agent of the official SDK that completes each task at once; hearing `ask`, it asks back. */
const executorOf = (
  answer: string,
  chunks: OfficialServerOptions['chunks'] = [{ id: 'a', texts: [answer] }],
): AgentExecutor => ({
  execute: async ({ taskId, contextId, userMessage }, bus) => {
    const ids = { taskId, contextId, metadata: undefined }
    const status = (state: number) => ({
      state,
      message: undefined,
      timestamp: new Date().toISOString(),
    })
    const [heard] = userMessage.parts
    const isQuestion = heard?.content?.$case === 'text' && heard.content.value === 'ask'
    const task = {
      id: taskId,
      contextId,
      artifacts: [],
      history: [userMessage],
      metadata: undefined,
    }
    bus.publish({ kind: 'task', data: { ...task, status: status(1) } } as never)
    bus.publish({ kind: 'statusUpdate', data: { ...ids, status: status(2) } } as never)
    for (const { id, texts, append = false } of isQuestion ? [] : chunks) {
      const parts = texts.map((value) => ({
        content: { $case: 'text', value },
        metadata: undefined,
        filename: '',
        mediaType: '',
      }))
      const described = { artifactId: id, name: 'answer', description: '' }
      const artifact = { ...described, extensions: [], metadata: undefined, parts }
      bus.publish({
        kind: 'artifactUpdate',
        data: { ...ids, append, lastChunk: !append, artifact },
      } as never)
    }
    bus.publish({
      kind: 'statusUpdate',
      data: { ...ids, status: status(isQuestion ? 6 : 3) },
    } as never)
    if (!isQuestion) bus.finished()
  },
  cancelTask: async () => undefined,
})

/** Starts a server of the official SDK. */
export async function startOfficialServer(
  options: OfficialServerOptions = {},
): Promise<OfficialServer> {
  const { interfaces = usual, answer = 'from the SDK', chunks, extended, signer } = options
  let changed = options.change ?? {}
  const requests: string[] = []
  const app = express()
  app.use(({ method, path }, _, next) => {
    requests.push(`${method} ${path}`)
    next()
  })
  const listener = app.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const url = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`
  const card = cardOf(url, interfaces, extended !== undefined)
  const extendedCard = extended && { ...card, description: extended.description }
  const requestHandler = new DefaultRequestHandler(
    card,
    new InMemoryTaskStore(),
    executorOf(answer, chunks),
    undefined,
    undefined,
    undefined,
    extendedCard,
    signer &&
      generateAgentCardSignature(signer.key, { alg: 'ES256', kid: signer.kid, typ: 'JOSE' }),
  )
  const userBuilder = extended
    ? (request: Request) => {
        const isAuthenticated = request.headers.authorization === `Bearer ${extended.token}`
        return Promise.resolve({
          isAuthenticated,
          userName: isAuthenticated ? 'alice' : '',
        } satisfies User)
      }
    : UserBuilder.noAuthentication
  app.use(
    `/${AGENT_CARD_PATH}`,
    agentCardHandler({
      agentCardProvider: async () => ({ ...(await requestHandler.getAgentCard()), ...changed }),
    }),
  )
  app.use('/rpc', jsonRpcHandler({ requestHandler, userBuilder }))
  app.use('/rest', restHandler({ requestHandler, userBuilder }))
  return {
    url,
    requests,
    change: (fields) => {
      changed = fields
    },
    close: () => void listener.close(),
  }
}

/** The parameters of `sendMessage` of the official client. */
export const officialRequest = (text: string, taskId = '') => ({
  tenant: '',
  message: {
    messageId: crypto.randomUUID(),
    role: 1,
    parts: [
      {
        content: { $case: 'text' as const, value: text },
        metadata: undefined,
        filename: '',
        mediaType: '',
      },
    ],
    contextId: '',
    taskId,
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
  },
  configuration: undefined,
  metadata: undefined,
})
