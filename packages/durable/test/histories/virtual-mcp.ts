// An MCP server of 2025-11-25 in the world: one tool that answers, and one that works as a task.
// What its tools do is done at the receiver, over the same network that loses.
import type { Receiver } from './receiver.js'
import type { Served } from './virtual-network.js'
import type { Process } from './virtual-world.js'

interface McpTask {
  status: 'working' | 'completed' | 'failed' | 'cancelled'
  /** What its call came to. */
  result?: object
}

interface Rpc {
  readonly id?: number | string
  readonly method: string
  readonly params?: Readonly<Record<string, unknown>>
}

/** No such method, and wrong parameters, as JSON-RPC has them. */
const unknownMethod = -32_601
const wrongParams = -32_602
const pollMs = 300

const inputSchema = {
  type: 'object',
  properties: { wish: { type: 'string' } },
  required: ['wish'],
} as const
const tools = [
  { name: 'remote', description: 'Pays a wish', inputSchema },
  {
    name: 'remoteTask',
    description: 'Pays a wish, some time',
    inputSchema,
    execution: { taskSupport: 'required' },
  },
] as const

const textResult = (text: string, isError = false): object => ({
  content: [{ type: 'text', text }],
  ...(isError && { isError }),
})

/** The server. Its own process does not die; the way to it is away, slow and loses. */
export class VirtualMcp implements Served {
  readonly worksTwice = true
  readonly process: Process = { name: 'mcp', isDead: false, wakesAt: 0, clockOffset: 0 }
  readonly #receiver: Receiver
  readonly #tasks = new Map<string, McpTask>()
  #begun = 0

  constructor(receiver: Receiver) {
    this.#receiver = receiver
  }

  /** Its tasks are gone, as after a restart. */
  forget(): boolean {
    const had = this.#tasks.size > 0
    this.#tasks.clear()
    return had
  }

  /** Whoever operates it cancels what it works on. */
  cancelAll(): boolean {
    const open = [...this.#tasks.values()].filter(({ status }) => status === 'working')
    for (const task of open) task.status = 'cancelled'
    return open.length > 0
  }

  async fetch(request: Request): Promise<Response> {
    if (request.method !== 'POST') return new Response(null, { status: 405 })
    const rpc = (await request.json()) as Rpc
    if (rpc.id === undefined) return new Response(null, { status: 202 })
    const answer = await this.#answer(rpc)
    return Response.json({ jsonrpc: '2.0', id: rpc.id, ...answer })
  }

  async #answer({ method, params = {} }: Rpc): Promise<object> {
    if (method === 'initialize')
      return {
        result: {
          protocolVersion: '2025-11-25',
          capabilities: { tools: {}, tasks: { cancel: {}, requests: { tools: { call: {} } } } },
          serverInfo: { name: 'remote', version: '1' },
        },
      }
    if (method === 'ping') return { result: {} }
    if (method === 'tools/list') return { result: { tools } }
    if (method === 'tools/call') return { result: await this.#call(params) }
    if (!method.startsWith('tasks/'))
      return { error: { code: unknownMethod, message: 'there is no such method' } }

    const taskId = String(params['taskId'])
    const task = this.#tasks.get(taskId)
    if (!task) return { error: { code: wrongParams, message: 'there is no such task' } }
    if (method === 'tasks/cancel' && task.status === 'working') task.status = 'cancelled'
    if (method === 'tasks/result') return { result: task.result ?? textResult('no result', true) }
    return { result: this.#reportOf(taskId, task) }
  }

  async #call({ name, arguments: given, task: asTask }: NonNullable<Rpc['params']>) {
    const wish = String((given as { readonly wish?: unknown }).wish)
    const work = this.#pay(wish, `mcp-${++this.#begun}`)
    if (name === 'remote' || asTask === undefined) return work

    const taskId = `mcp-task-${this.#begun}`
    const task: McpTask = { status: 'working' }
    this.#tasks.set(taskId, task)
    work.then(
      (result) => {
        task.result = result
        if (task.status === 'working') task.status = 'isError' in result ? 'failed' : 'completed'
      },
      // Nobody knows what came of it, and this is how the protocol says so.
      () => {
        if (task.status === 'working') task.status = 'cancelled'
      },
    )
    return { task: this.#reportOf(taskId, task) }
  }

  async #pay(wish: string, key: string): Promise<object> {
    try {
      return textResult(await this.#receiver.send(wish, key))
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error)
      // A server that does not know answers nothing: an error would say that it failed.
      if (!text.includes('declined')) throw error
      return textResult(text, true)
    }
  }

  #reportOf(taskId: string, { status }: McpTask): object {
    const at = new Date(Date.now()).toISOString()
    return { taskId, status, ttl: null, createdAt: at, lastUpdatedAt: at, pollInterval: pollMs }
  }
}
