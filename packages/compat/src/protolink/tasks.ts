import {
  type Artifact,
  addArtifact,
  addMessage,
  answerArtifactId,
  createArtifact,
  createMessage,
  createPart,
  createTask,
  type InferContent,
  type Message,
  type Task,
  updateState,
} from '@modelport/agent'

/**
 * The methods of Protolink's class `Task`, as functions that return the next task. Each changes the
 * value only: `cancel` of an agent's client stops a task that runs.
 */
export interface ProtolinkTasks {
  /** A new task whose message asks for a call of the model. */
  createInferTask(content: InferContent): Task

  /** The task in state `working`. @throws {AgentError} `unsupported-operation` */
  begin(task: Task): Task

  /**
   * The task, waiting for input; a submitted task passes through `working`. The message is added.
   * @throws {AgentError} `unsupported-operation`
   */
  requireInput(task: Task, message?: Message): Task

  /**
   * The completed task, with the text as a message of the agent and as the artifact `answer`. A
   * task that does not work yet passes through `working`.
   * @throws {AgentError} `unsupported-operation`
   */
  complete(task: Task, text: string): Task

  /**
   * The failed task. `metadata.error` and `statusMessage` hold the reason; no message is added.
   * @throws {AgentError} `unsupported-operation`
   */
  fail(task: Task, error: string): Task

  /**
   * The cancelled task. `metadata.cancel_reason` holds the reason, unless it is empty.
   * @throws {AgentError} `unsupported-operation`
   */
  cancel(task: Task, reason?: string): Task

  /** The message or artifact that was added last, in constant time. */
  lastItem(task: Task): Message | Artifact | undefined
}

/** The life of a task as Protolink's class `Task` writes it. */
export const protolinkTasks: ProtolinkTasks = Object.freeze<ProtolinkTasks>({
  createInferTask: (content) => createTask(createMessage('user', [createPart.infer(content)])),
  begin: (task) => updateState(task, 'working'),
  requireInput,
  complete,
  fail,
  cancel,
  lastItem,
})

function requireInput(task: Task, message?: Message): Task {
  const at = now()
  const started = task.state === 'submitted' ? updateState(task, 'working', at) : task
  const waiting = updateState(started, 'input-required', at)

  if (!message) return waiting
  return { ...addMessage(waiting, message), statusMessage: message }
}

function complete(task: Task, text: string): Task {
  const at = now()
  const isWaiting =
    task.state === 'submitted' || task.state === 'input-required' || task.state === 'auth-required'
  const working = isWaiting ? updateState(task, 'working', at) : task
  const completed = updateState(working, 'completed', at)

  const answer = createArtifact(text, { id: answerArtifactId, kind: 'answer' })
  return addMessage(addArtifact(completed, answer), createMessage('agent', text))
}

function fail(task: Task, error: string): Task {
  const failed = updateState(task, 'failed', now())
  return {
    ...failed,
    statusMessage: createMessage('agent', error),
    metadata: { ...failed.metadata, error },
  }
}

function cancel(task: Task, reason?: string): Task {
  const cancelled = updateState(task, 'cancelled', now())
  if (!reason) return cancelled
  return { ...cancelled, metadata: { ...cancelled.metadata, cancel_reason: reason } }
}

function lastItem(task: Task): Message | Artifact | undefined {
  const last = task.last ?? (task.messages.length > 0 ? 'message' : 'artifact')
  return last === 'message' ? task.messages.at(-1) : task.artifacts.at(-1)
}

const now = (): string => new Date().toISOString()
