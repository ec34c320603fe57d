import {
  InMemoryTaskMessageQueue,
  InMemoryTaskStore,
} from '@modelcontextprotocol/sdk/experimental/tasks/index.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'

/** A server whose tool begins a task that ends only when it is cancelled. */
export class ReportServer {
  readonly #tasks = new InMemoryTaskStore()
  readonly begun: string[] = []
  readonly #open: InMemoryTransport[] = []
  #isAway = false

  readonly connect = (): InMemoryTransport => {
    if (this.#isAway) throw new Error('connection refused')
    const [ours, theirs] = InMemoryTransport.createLinkedPair()
    void this.#serve().connect(theirs)
    this.#open.push(theirs)
    return ours
  }

  async goAway(): Promise<void> {
    this.#isAway = true
    await Promise.all(this.#open.splice(0).map((transport) => transport.close()))
  }

  comeBack(): void {
    this.#isAway = false
  }

  states(): Promise<readonly (string | undefined)[]> {
    return Promise.all(this.begun.map(async (id) => (await this.#tasks.getTask(id))?.status))
  }

  async finish(): Promise<void> {
    const content = [{ type: 'text' as const, text: 'Tea.' }]
    await this.#tasks.storeTaskResult(this.begun[0] ?? '', 'completed', { content })
  }

  #serve(): McpServer {
    const server = new McpServer(
      { name: 'reports', version: '1.0.0' },
      {
        capabilities: { tasks: { cancel: {}, requests: { tools: { call: {} } } } },
        taskStore: this.#tasks,
        taskMessageQueue: new InMemoryTaskMessageQueue(),
      },
    )
    server.experimental.tasks.registerToolTask(
      'report',
      { description: 'Writes a report' },
      {
        createTask: async ({ taskStore }) => {
          const task = await taskStore.createTask({ ttl: 600_000, pollInterval: 60_000 })
          this.begun.push(task.taskId)
          return { task }
        },
        getTask: async ({ taskId, taskStore }) => taskStore.getTask(taskId),
        getTaskResult: async ({ taskId, taskStore }) =>
          (await taskStore.getTaskResult(taskId)) as CallToolResult,
      },
    )
    return server
  }
}
