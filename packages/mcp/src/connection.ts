import {
  Client,
  type jsonSchemaValidator,
  StreamableHTTPClientTransport,
  type Tool,
  type Transport,
  type VersionNegotiationMode,
} from '@modelcontextprotocol/client'
import { configError, LlmError, longestTimer, type Redact } from '@modelport/core'
import { askAgain } from './ask-again.js'
import { startProcess } from './child-process.js'
import { OpenCalls } from './elicitation.js'
import { causeFor, newest, statusOf, toTyped } from './errors.js'
import { guardedFetch, hostsOf, mostBytes, mostListBytes } from './guarded-fetch.js'
import { toPlainWords } from './plain-words.js'
import { createMcpRedact, mapTexts } from './secrets.js'
import type { McpSettings } from './settings.js'
import { guardSignIn } from './sign-in-page.js'
import { mayAnswerWithTasks, tasksExtension, withTaskInMeta } from './task-extension.js'
import { distinctTools, withoutBroken } from './tool-list.js'
import { showExcluded } from './trust/excluded-tools.js'
import { createShow, type Show, structure } from './trust/show.js'

/** A tool is called by its name. */
const names = new Set(['name'])
const mostPages = 100
const mostTools = 2000
const mostWords = 2000
/** How long a server may take to say goodbye, or to accept a subscription. */
const politeMs = 2000
/**
 * How long a child process may leave the question for its versions unanswered before it is taken
 * for an old server that ignores it.
 */
const silentMs = 5000

/** Schemas of a server are checked by this package, which bounds them, and never by the client. */
const unchecked: jsonSchemaValidator = {
  getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
}

/**
 * A session with one MCP server: opened when it is needed, opened again when it was lost, its list
 * of tools kept until the server changes it.
 */
export class McpConnection {
  readonly #settings: McpSettings
  #client: Promise<Client> | undefined
  #listed: Promise<readonly Tool[]> | undefined
  /** The client behind {@link #client}, also while it is connecting. */
  #active: Client | undefined
  #closed = false
  /** Why the session was ended here, until a call has reported it. */
  #refusal: LlmError | undefined
  #words = ''
  /** The newest transport over HTTP, which knows how the server wants users to sign in. */
  #web: StreamableHTTPClientTransport | undefined
  /** Bytes that may still come while the list is read. */
  #listBytes = Infinity
  /** Ends a session that is being opened. */
  #cancel: ((reason: LlmError) => void) | undefined

  /** The calls that a question may belong to. */
  readonly openCalls: OpenCalls = new OpenCalls()
  /** Removes the server's credentials from its output. */
  readonly redact: Redact
  /** Makes what the server sent fit for models and people. */
  readonly show: Show

  constructor(settings: McpSettings) {
    this.#settings = settings
    this.redact = createMcpRedact(settings.transport)
    this.show = createShow(settings, this.redact)
  }

  async client(): Promise<Client> {
    if (this.#closed) throw configError(`MCP server "${this.#settings.name}": the source is closed`)
    const opening: Promise<Client> = (this.#client ??= this.#again(() =>
      this.#open(() => {
        if (this.#client === opening) this.#forget()
      }),
    ))
    try {
      return await opening
    } catch (error) {
      if (this.#client === opening) this.#forget()
      const { message, code } = this.toError(error)
      const words = toPlainWords(this.redact(this.#words), mostWords).trim()
      throw new LlmError(
        code,
        words ? `${message}; it said: ${words}` : message,
        causeFor(error, this.redact),
      )
    }
  }

  /** True if the server may answer any call with a task. */
  get answersWithTasks(): boolean {
    return mayAnswerWithTasks(this.#active)
  }

  /** The tools as the server lists them now. */
  async tools(): Promise<readonly Tool[]> {
    const client = await this.client()
    const listing = (this.#listed ??= this.#again(() => this.#readTools(client)))
    try {
      return await listing
    } catch (error) {
      if (this.#listed === listing) this.#listed = undefined
      throw this.toError(error)
    }
  }

  /**
   * What the server says to this request, as {@link show} gives it. A server without the capability
   * is not asked.
   */
  async ask<T>(
    capability: 'prompts' | 'resources',
    request: (
      client: Client,
      options: { readonly timeout: number; readonly signal: AbortSignal },
    ) => Promise<T>,
  ): Promise<T | undefined> {
    const client = await this.client()
    if (!client.getServerCapabilities()?.[capability]) return undefined
    try {
      const said = await this.#again(() => request(client, this.#listLimits()))
      return this.show(said, capability, structure)
    } catch (error) {
      throw this.toError(error)
    }
  }

  /** Gets tokens for the code in the callback of a sign-in that a request of this session began. */
  async finishSignIn(callback: URLSearchParams): Promise<void> {
    if (!this.#web)
      throw configError(`MCP server "${this.#settings.name}": no request has asked to sign in`)
    try {
      await this.#web.finishAuth(callback)
    } catch (error) {
      throw this.toError(error)
    }
  }

  /** Ends the session; a server in a child process ends with it. */
  async close(): Promise<void> {
    this.#closed = true
    this.#cancel?.(configError('the source is closed'))
    const client = this.#active
    this.#forget()
    if (client) await end(client)
  }

  /** The typed error for anything the session throws, without the server's credentials. */
  toError(error: unknown): LlmError {
    const status = statusOf(error)
    // The server does not know the session any more: the next call opens a new one.
    if (status === 404 || status === 400) this.#drop()
    const refusal = this.#refusal
    this.#refusal = undefined
    return toTyped(refusal ?? error, this.#settings.name, this.redact)
  }

  #listLimits(): { readonly timeout: number; readonly signal: AbortSignal } {
    const timeout = Math.min(this.#settings.listTimeoutMs ?? 30_000, longestTimer)
    return { timeout, signal: AbortSignal.timeout(timeout) }
  }

  /** Asks what may be asked twice. A child process is not away: it is started, or it is not. */
  #again<T>(ask: () => Promise<T>): Promise<T> {
    return 'url' in this.#settings.transport ? askAgain(ask, () => !this.#closed) : ask()
  }

  async #open(lost: () => void): Promise<Client> {
    try {
      return await this.#connect(lost, 'auto')
    } catch (error) {
      const other = 'command' in this.#settings.transport && otherMode(error)
      if (!other || this.#closed) throw error
      this.#words = ''
      return await this.#connect(lost, other)
    }
  }

  async #connect(lost: () => void, mode: VersionNegotiationMode): Promise<Client> {
    const { transport, connectTimeoutMs = 30_000, elicitation } = this.#settings
    const timeout = Math.min(connectTimeoutMs, longestTimer)
    const probe =
      'command' in transport && mode === 'auto'
        ? { timeoutMs: Math.min(timeout / 2, silentMs) }
        : {}
    const client = new Client(
      { name: 'modelport', version: '0.0.0' },
      {
        versionNegotiation: { mode, probe },
        jsonSchemaValidator: unchecked,
        listMaxPages: mostPages,
        // A round is finished by the call that it belongs to, perhaps in another process.
        inputRequired: { autoFulfill: false },
        capabilities: {
          extensions: { [tasksExtension]: {} },
          ...(elicitation && { elicitation: { form: {}, url: {} } }),
        },
      },
    )
    if (elicitation)
      client.setRequestHandler('elicitation/create', ({ params }) => this.openCalls.answer(params))
    client.onclose = lost
    showExcluded(client, this.#settings)
    client.setNotificationHandler('notifications/tools/list_changed', () => {
      this.#listed = undefined
    })
    const created = await this.#createTransport()
    this.#active = client
    const ended = new Promise<never>((_, reject) => {
      // While it asks for versions, the client does not own the transport yet, and would not end
      // it.
      this.#cancel = (error) => {
        void created.close().catch(() => undefined)
        reject(error)
      }
    })
    try {
      if (this.#closed) throw configError('the source is closed')
      await Promise.race([
        ended,
        client.connect(created, { timeout, signal: AbortSignal.timeout(timeout) }),
      ])
      this.#cancel = undefined
      const deliver = created.onmessage
      created.onmessage = (message, extra) =>
        deliver?.(withTaskInMeta(withoutBroken(message, this.#settings)), extra)
      await this.#subscribe(client)
    } catch (error) {
      await client.close().catch(() => undefined)
      throw error
    }
    return client
  }

  /**
   * Asks a server without sessions to report changes of its tools; those with sessions report them
   * unasked.
   */
  async #subscribe(client: Client): Promise<void> {
    if (client.getProtocolEra() !== 'modern' || !client.getServerCapabilities()?.tools?.listChanged)
      return
    const subscription = await client
      .listen({ toolsListChanged: true }, { timeout: politeMs })
      .catch(() => undefined)
    void subscription?.closed.then((cause) => {
      // Changes may be missed from now on: the next step connects and lists again.
      if (cause !== 'local' && this.#active === client) this.#drop()
    })
  }

  readonly #onBytes = (count: number): void => {
    this.#listBytes -= count
    if (this.#listBytes >= 0) return
    this.#listBytes = Infinity
    this.#refuse('its list', mostListBytes)
  }

  /** Ends the session because the server sent too much. */
  #refuse(what: string, most: number): LlmError {
    const text = `MCP server "${this.#settings.name}": ${what} is larger than ${most / 1024 / 1024} MiB`
    const error = new LlmError('limit-exceeded', text)
    this.#refusal = error
    this.#cancel?.(error)
    this.#drop()
    return error
  }

  #drop(): void {
    const client = this.#active
    this.#forget()
    void client?.close().catch(() => undefined)
  }

  #forget(): void {
    this.#active = undefined
    this.#client = undefined
    this.#listed = undefined
  }

  async #createTransport(): Promise<Transport> {
    const { transport } = this.#settings
    if ('create' in transport) return transport.create()
    const refuse = (): LlmError => this.#refuse('a message', mostBytes)
    if ('url' in transport) {
      const { url, headers, authProvider } = transport
      const options = {
        fetch: guardedFetch(this.#settings, transport, refuse, this.#onBytes),
        ...(headers && { requestInit: { headers } }),
        ...(authProvider && {
          authProvider: guardSignIn(authProvider, {
            name: this.#settings.name,
            url,
            hosts: hostsOf(transport),
          }),
        }),
      }
      return (this.#web = new StreamableHTTPClientTransport(new URL(url), options))
    }
    return startProcess(transport, {
      refuse,
      onBytes: this.#onBytes,
      onWords: (words) => {
        this.#words = (this.#words + words).slice(-mostWords)
      },
    })
  }

  async #readTools(client: Client): Promise<readonly Tool[]> {
    if (!client.getServerCapabilities()?.tools) return []
    this.#listBytes = mostListBytes
    const { tools } = await client.listTools(undefined, this.#listLimits()).finally(() => {
      this.#listBytes = Infinity
    })
    if (tools.length > mostTools)
      throw new LlmError(
        'limit-exceeded',
        `MCP server "${this.#settings.name}": it lists more than ${mostTools} tools`,
      )
    return mapTexts(distinctTools(tools, this.#settings), this.redact, names)
  }
}

/**
 * How a child process is asked again: old servers may end with the first request they do not know,
 * and slow ones were taken for old.
 */
function otherMode(error: unknown): VersionNegotiationMode | undefined {
  const {
    code,
    supported = [newest],
    message,
  } = error as { code?: unknown; supported?: unknown; message?: unknown }
  if (/closed/i.test(String(message))) return 'legacy'
  return typeof code === 'number' && Array.isArray(supported) && supported.includes(newest)
    ? { pin: newest }
    : undefined
}

/** Ends a session, politely but without waiting long. */
async function end(client: Client): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  if (client.transport instanceof StreamableHTTPClientTransport) {
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, politeMs)
    })
    await Promise.race([client.transport.terminateSession(), late]).catch(() => undefined)
    clearTimeout(timer)
  }
  await client.close().catch(() => undefined)
}
