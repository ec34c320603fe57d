import type { Prompt, Resource, ResourceTemplateType } from '@modelcontextprotocol/client'
import { type ContentPart, configError } from '@modelport/core'
import type { Tool, ToolSource } from '@modelport/runtime'
import { checkMcpSettings } from './check-settings.js'
import { McpConnection } from './connection.js'
import { hostsOf } from './guarded-fetch.js'
import { toObserver } from './observer.js'
import { toPlainWords } from './plain-words.js'
import { type McpPrompt, readPrompt } from './prompt.js'
import { readResource, resourceTools } from './resources.js'
import { ServerTasks } from './server-task.js'
import type { McpSettings } from './settings.js'
import { toTool } from './tool.js'
import { toolNames } from './tool-names.js'
import { withoutSecrets } from './trust/address.js'
import { TrustGate } from './trust/gate.js'

/** An MCP server: a source of its tools, with its resources and prompts. */
export interface McpSource extends ToolSource {
  /** What can be read. Empty if the server has no resources. */
  resources(): Promise<readonly Resource[]>
  /** Patterns of addresses that can be read. */
  resourceTemplates(): Promise<readonly ResourceTemplateType[]>
  /**
   * What a resource holds.
   * @throws {LlmError} `protocol` — there is no such resource; `limit-exceeded` — it is too large.
   */
  readResource(uri: string): Promise<readonly ContentPart[]>
  /** The prompts, each with the arguments it takes. Empty if the server has none. */
  prompts(): Promise<readonly Prompt[]>
  /**
   * Has the server fill in a prompt.
   * @throws {LlmError} `protocol` — there is no such prompt, or an argument is missing.
   */
  prompt(name: string, args?: Readonly<Record<string, string>>): Promise<McpPrompt>
  /**
   * Cancels the task behind a call that waits: `taskId` of the pending item. When the run is
   * resumed, the model reads that it was cancelled, or its result if it was over before.
   * @throws {LlmError} `protocol` — the server does not know the task, or cannot cancel it.
   */
  cancelTask(taskId: string): Promise<void>
  /**
   * Gets and stores tokens after a user has signed in: with the parameters of the callback's URL,
   * once a request was rejected with `auth`. Compare `state` first.
   * @throws {LlmError} `auth` — the code is refused, or `iss` names another server than the one
   * that was asked.
   */
  finishSignIn(callback: URLSearchParams): Promise<void>
}

/**
 * Makes a source of an MCP server's tools. It starts or connects the server when the tools are
 * first listed, and reconnects at the next step if the connection is lost. Close the source when
 * you are done: a child process lives until then.
 * @throws {LlmError} `config` — the prefix is not valid in a tool name; `invalid-base-url` — the
 * URL is not valid.
 */
export function mcpTools(given: McpSettings): McpSource {
  checkMcpSettings(given)
  const { name, transport } = given
  // A command line as a name may have secrets, which errors, the lock and transcripts must not
  // have.
  const settings = {
    ...given,
    name: withoutSecrets(name),
    onWarning: toObserver(given.onWarning),
    onProgress: toObserver(given.onProgress),
  }
  const connection = new McpConnection(settings)
  const gate = new TrustGate(settings, connection.redact)
  let made:
    | { readonly from: unknown; readonly leftOut: unknown; readonly tools: readonly Tool[] }
    | undefined
  const readOnce = async (): Promise<readonly Tool[]> => {
    const listed = await connection.tools()
    const leftOut = await gate.leftOut(listed)
    if (made?.from !== listed || made.leftOut !== leftOut)
      made = {
        from: listed,
        leftOut,
        tools: await toTools(listed, { leftOut, pinned: gate.pinned }, connection, settings),
      }
    return made.tools
  }
  let reading: Promise<unknown> = Promise.resolve()
  // One at a time: a change is asked about once.
  const read = (): Promise<readonly Tool[]> => {
    const next = reading.then(readOnce)
    reading = next.catch(() => undefined)
    return next
  }
  return {
    name,
    apiHosts: hostsOf(transport),
    tools: async (signal) => {
      signal?.throwIfAborted()
      // An aborted caller does not stop the connection or the listing: the next caller uses them.
      const done = new AbortController()
      const aborted = new Promise<never>((_, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason), { signal: done.signal })
      })
      return Promise.race([aborted, read()]).finally(() => done.abort())
    },
    resources: async () =>
      (
        await connection.ask('resources', (client, options) =>
          client.listResources(undefined, options),
        )
      )?.resources ?? [],
    resourceTemplates: async () =>
      (
        await connection.ask('resources', (client, options) =>
          client.listResourceTemplates(undefined, options),
        )
      )?.resourceTemplates ?? [],
    readResource: (uri) => readResource(uri, connection, settings),
    prompts: async () =>
      (await connection.ask('prompts', (client, options) => client.listPrompts(undefined, options)))
        ?.prompts ?? [],
    prompt: (prompt, args = {}) => readPrompt(prompt, args, connection, settings),
    cancelTask: async (taskId) => {
      const tasks = new ServerTasks(await connection.client())
      await tasks.cancel(taskId).catch((error: unknown) => {
        throw connection.toError(error)
      })
    },
    finishSignIn: (callback) => connection.finishSignIn(callback),
    close: () => connection.close(),
  }
}

/** The listed tools that are wanted, as ours. */
async function toTools(
  listed: Awaited<ReturnType<McpConnection['tools']>>,
  {
    leftOut,
    pinned,
  }: { readonly leftOut: ReadonlySet<string>; readonly pinned: readonly string[] },
  connection: McpConnection,
  settings: McpSettings,
): Promise<readonly Tool[]> {
  const { name, only, prefix = '' } = settings
  const wanted = listed.filter((tool) => only?.includes(tool.name) ?? true)
  const missing = only?.filter((one) => !wanted.some((tool) => tool.name === one)) ?? []
  if (missing.length)
    throw configError(
      `MCP server "${name}": it has no tool ${missing.join(', ')}; it has ${toPlainWords(connection.redact(listed.map((tool) => tool.name).join(', ')))}`,
    )
  const ofResources = settings.resourceTools ? await resourceTools(connection, settings) : []
  // A removed tool keeps its name too, until somebody accepts that it is gone.
  const groups = only ? [only] : [pinned, listed.map((tool) => tool.name)]
  const names = toolNames(
    groups,
    prefix,
    ofResources.map(({ definition }) => definition.name),
  )
  const tools = wanted
    .filter((tool) => !leftOut.has(tool.name))
    .map((tool) => toTool(tool, names.get(tool.name) ?? tool.name, connection, settings))
  return [...tools, ...ofResources]
}
