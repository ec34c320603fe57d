import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import {
  ListToolsResultSchema,
  type Tool as McpTool,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { type ErrorCode, isLlmError, LlmError, longestTimer, type Redact } from '@modelport/core'
import { causesOf } from '../base/causes.js'
import { guardedFetch, hostsOfUrl, mostBytes, tooLarge } from './mcp-fetch.js'
import { LineBuffer } from './mcp-lines.js'
import { createMcpRedact, redactTexts } from './mcp-secrets.js'
import type { McpSettings, McpTransport } from './mcp-settings.js'
import { toPlainWords } from './mcp-text.js'

/** A tool is called by its name. */
const names = new Set(['name'])
const mostPages = 1000
const mostTools = 2000
const mostWords = 2000
const goodbyeMs = 2000

/** Every host a transport may connect to. */
export function hostsOf(transport: McpTransport): readonly string[] {
  if ('url' in transport) return hostsOfUrl(transport)
  return 'apiHosts' in transport ? transport.apiHosts : []
}

/** A session with one MCP server: opened when it is needed, opened again when it was lost, its list of tools kept until the server changes it. */
export class McpConnection {
  readonly #settings: McpSettings
  #client: Promise<Client> | undefined
  #listed: Promise<readonly McpTool[]> | undefined
  /** The client behind {@link #client}, also while it is connecting. */
  #active: Client | undefined
  #closed = false
  /** Why the session was ended here, until a call has reported it. */
  #refusal: LlmError | undefined
  #words = ''

  /** Removes the server's credentials from its output. */
  readonly redact: Redact

  constructor(settings: McpSettings) {
    this.#settings = settings
    this.redact = createMcpRedact(settings.transport)
  }

  /** The open session. */
  async client(): Promise<Client> {
    if (this.#closed) throw new LlmError('config', `MCP server "${this.#settings.name}": the source is closed`)
    const opening: Promise<Client> = (this.#client ??= this.#open(() => {
      if (this.#client === opening) this.#forget()
    }))
    try {
      return await opening
    } catch (error) {
      if (this.#client === opening) this.#forget()
      const { message, code } = this.toError(error)
      const words = toPlainWords(this.redact(this.#words), mostWords).trim()
      throw new LlmError(code, words ? `${message}; it said: ${words}` : message, this.#causeOf(error))
    }
  }

  /** The tools as the server lists them now. */
  async list(): Promise<readonly McpTool[]> {
    const client = await this.client()
    const listing = (this.#listed ??= this.#readList(client))
    try {
      return await listing
    } catch (error) {
      if (this.#listed === listing) this.#listed = undefined
      throw this.toError(error)
    }
  }

  /** Ends the session; a server in a child process ends with it. */
  async close(): Promise<void> {
    this.#closed = true
    const client = this.#active
    this.#forget()
    if (client) await end(client)
  }

  /** The typed error for anything the session throws, without the server's credentials. */
  toError(error: unknown): LlmError {
    const typed = this.#toTyped(error)
    const message = this.redact(typed.message)
    return message === typed.message ? typed : new LlmError(typed.code, message)
  }

  /** The error as a cause; none if its message has credentials, which a printed cause would show. */
  #causeOf(error: unknown): ErrorOptions {
    for (const one of causesOf(error)) {
      const text = one instanceof Error ? `${one.message}${one.stack ?? ''}` : String(one)
      if (this.redact(text) !== text) return {}
    }
    return { cause: error }
  }

  #toTyped(error: unknown): LlmError {
    if (isLlmError(error)) return error
    const { message, code, name } =
      error instanceof Error
        ? (error as Error & { readonly code?: unknown })
        : { message: String(error), code: undefined, name: '' }
    // The server does not know the session any more: the next call opens a new one.
    if (code === 404 || code === 400) this.#drop()
    const refusal = this.#refusal ?? causeOf(error)
    this.#refusal = undefined
    if (refusal) return refusal
    return new LlmError(
      codeOf(code, name),
      `MCP server "${this.#settings.name}": ${toPlainWords(this.redact(message))}`,
      this.#causeOf(error),
    )
  }

  async #open(lost: () => void): Promise<Client> {
    const { connectTimeoutMs = 30_000 } = this.#settings
    const client = new Client({ name: 'modelport', version: '0.0.0' })
    client.onclose = lost
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
      this.#listed = undefined
    })
    const transport = await this.#createTransport()
    this.#active = client
    try {
      if (this.#closed) throw new LlmError('config', 'the source is closed')
      await client.connect(transport, { timeout: Math.min(connectTimeoutMs, longestTimer) })
    } catch (error) {
      await client.close().catch(() => undefined)
      throw error
    }
    return client
  }

  readonly #onTooLong = (error: LlmError): void => {
    this.#refusal = error
    this.#drop()
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
    if ('url' in transport) {
      const { url, headers, authProvider } = transport
      const options = {
        fetch: guardedFetch(this.#settings, transport, this.#onTooLong),
        ...(headers && { requestInit: { headers } }),
        ...(authProvider && { authProvider }),
      }
      return new StreamableHTTPClientTransport(new URL(url), options)
    }
    const { StdioClientTransport } = await import('@modelcontextprotocol/sdk/client/stdio.js')
    const { command, args = [], env, cwd } = transport
    const created = new StdioClientTransport({
      command,
      args: [...args],
      ...(env && { env: { ...env } }),
      ...(cwd !== undefined && { cwd }),
      stderr: 'pipe',
    })
    this.#listen(created.stderr)
    // The transport does not report why it stops reading, and ends the session only with the process.
    const lines = new LineBuffer(mostBytes, () => {
      const error = tooLarge(this.#settings.name)
      this.#onTooLong(error)
      return error
    })
    return Object.assign(created, { _readBuffer: lines })
  }

  /** Keeps the end of a child process's error output, which says why it did not start. */
  #listen(stream: unknown): void {
    if (!isListenable(stream)) return
    stream.on('data', (chunk) => {
      this.#words = (this.#words + String(chunk)).slice(-mostWords)
    })
  }

  async #readList(client: Client): Promise<readonly McpTool[]> {
    if (!client.getServerCapabilities()?.tools) return []
    const { name, listTimeoutMs = 30_000 } = this.#settings
    const endsAt = performance.now() + listTimeoutMs
    const tools: McpTool[] = []
    let cursor: string | undefined
    for (let page = 0; page < mostPages; page++) {
      const result = await client.request(
        { method: 'tools/list', ...(cursor !== undefined && { params: { cursor } }) },
        ListToolsResultSchema,
        { timeout: Math.min(Math.max(1, Math.ceil(endsAt - performance.now())), longestTimer) },
      )
      tools.push(...redactTexts(result.tools, this.redact, names))
      if (tools.length > mostTools)
        throw new LlmError('limit-exceeded', `MCP server "${name}": it lists more than ${mostTools} tools`)
      cursor = result.nextCursor
      if (cursor === undefined) return tools
      if (performance.now() > endsAt)
        throw new LlmError('timeout', `MCP server "${name}": its list of tools took longer than ${listTimeoutMs} ms`)
    }
    throw new LlmError('protocol', `MCP server "${name}": its list of tools does not end`)
  }
}

/** The refusal of this package that the SDK's error was made of. */
function causeOf(error: unknown): LlmError | undefined {
  for (const one of causesOf(error)) if (isLlmError(one)) return one
  return undefined
}

/** Ends a session, politely but without waiting long. */
async function end(client: Client): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  if (client.transport instanceof StreamableHTTPClientTransport) {
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, goodbyeMs)
    })
    await Promise.race([client.transport.terminateSession(), late]).catch(() => undefined)
    clearTimeout(timer)
  }
  await client.close().catch(() => undefined)
}

/** The one thing needed of a platform's stream. */
interface Listenable {
  on(event: 'data', listener: (chunk: unknown) => void): unknown
}

const isListenable = (stream: unknown): stream is Listenable =>
  typeof stream === 'object' && stream !== null && 'on' in stream && typeof stream.on === 'function'

/** HTTP statuses and the codes of the protocol's errors. @see https://modelcontextprotocol.io/specification/2025-11-25/basic (read 2026-11-21) */
function codeOf(code: unknown, name: string): ErrorCode {
  if (code === 401 || name === 'UnauthorizedError') return 'auth'
  if (code === 403) return 'permission'
  if (code === 404) return 'not-found'
  if (code === -32001) return 'timeout'
  if (name === 'ZodError' || (typeof code === 'number' && code <= -32600)) return 'protocol'
  return 'network'
}
