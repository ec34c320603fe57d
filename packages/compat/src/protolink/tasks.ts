import {
  type Artifact,
  addArtifact,
  addMessage,
  createArtifact,
  createMessage,
  createPart,
  createTask,
  type Message,
  type Part,
  type Task,
  updateState,
} from '@modelport/agent'

const now = (): string => new Date().toISOString()
const working = (task: Task, at: string): Task => (task.state === 'submitted' ? updateState(task, 'working', at) : task)

/** One entry of `metadata.state_history`. */
export interface StateChange {
  readonly previous_state: Task['state']
  readonly new_state: Task['state']
  readonly timestamp: string
}

/** The methods of Protolink's class `Task`, as functions that return the next task. */
export interface ProtolinkTasks {
  /** A new task with an `infer` message. */
  createInfer(content: (Part & { readonly type: 'infer' })['content']): Task
  /** The task in state `working`. @throws {AgentError} `unsupported-operation` */
  begin(task: Task): Task
  /** The task, waiting for input; a submitted task passes through `working`. @throws {AgentError} `unsupported-operation` */
  requireInput(task: Task, message?: Message): Task
  /**
   * The completed task, with the text as an agent message and as the artifact `answer`. A submitted task passes through `working`.
   * @throws {AgentError} `unsupported-operation`
   */
  complete(task: Task, text: string): Task
  /** The failed task; `metadata.error` holds the message. @throws {AgentError} `unsupported-operation` */
  fail(task: Task, error: string): Task
  /** The cancelled task; a reason goes to `metadata.cancel_reason`. @throws {AgentError} `unsupported-operation` */
  cancel(task: Task, reason?: string): Task
  /** The newest message or artifact, in constant time. */
  lastItem(task: Task): Message | Artifact | undefined
  /** The changes of state so far. */
  history(task: Task): readonly StateChange[]
}

/** The life of a task as Protolink's class `Task` writes it. */
export const protolinkTasks: ProtolinkTasks = Object.freeze<ProtolinkTasks>({
  createInfer: (content) => createTask(createMessage('user', [createPart.infer(content)])),
  begin: (task) => updateState(task, 'working', now()),
  requireInput: (task, message) => {
    const at = now()
    const waiting = updateState(working(task, at), 'input-required', at)
    return message ? { ...addMessage(waiting, message), statusMessage: message } : waiting
  },
  complete: (task, text) => {
    const at = now()
    const done = updateState(working(task, at), 'completed', at)
    const answer = createArtifact(text, { id: 'answer', kind: 'answer' })
    return addMessage(addArtifact(done, answer), createMessage('agent', text))
  },
  fail: (task, error) => {
    const failed = updateState(task, 'failed', now())
    const statusMessage = createMessage('agent', [createPart.text(error)])
    return { ...failed, statusMessage, metadata: { ...failed.metadata, error } }
  },
  cancel: (task, reason) => {
    const cancelled = updateState(task, 'cancelled', now())
    return reason ? { ...cancelled, metadata: { ...cancelled.metadata, cancel_reason: reason } } : cancelled
  },
  lastItem: (task) => {
    const { last = task.messages.length ? 'message' : 'artifact' } = task
    return last === 'message' ? task.messages.at(-1) : task.artifacts.at(-1)
  },
  history: ({ metadata }) => {
    const { state_history: changes } = metadata
    return Array.isArray(changes) ? (changes as readonly StateChange[]) : []
  },
})
