import { answerArtifactId } from '../models/artifact.js'
import type { Task } from '../models/task.js'
import type { TaskEvent } from '../models/task-event.js'
import { isTerminal } from '../models/task-state.js'
import type { AgentHost } from '../run/host.js'
import type { TaskKey } from '../session/task-store.js'
import type { ClientEvent } from './client.js'
import { TaskStory } from './task-story.js'

/** Where a reader of a task begins. */
interface Beginning {
  readonly task: Task
  /** Number of the last event in `task`. */
  readonly seq: number
  /** True: nothing follows. */
  readonly isDone: boolean
  readonly signal: AbortSignal | undefined
}

/** What happens to a task of this process, for its reader, until it is over or waits for input. */
export async function* localEvents(
  host: AgentHost,
  key: TaskKey,
  { task, seq, isDone, signal }: Beginning,
): AsyncGenerator<ClientEvent, void> {
  const story = new TaskStory()
  yield* story.begin(task)
  if (isDone) {
    yield* story.end()
    return
  }
  let answer = answerTextOf(task)
  for await (const event of host.store.tasks.watch(key, seq + 1, signal)) {
    yield* eventsOf(story, event, answer)
    answer = nextAnswer(answer, event)
    // A task that waits for credentials may continue by itself, so reading continues.
    if (event.type === 'status' && (isTerminal(event.state) || event.state === 'input-required'))
      break
  }
  signal?.throwIfAborted()
  yield* story.end((await host.get(key)).task)
}

function eventsOf(
  story: TaskStory,
  event: TaskEvent,
  answer: string | undefined,
): readonly ClientEvent[] {
  switch (event.type) {
    case 'status':
      return story.status(event.state, event.at, event.message)
    case 'message': {
      const { message } = event
      const [part] = message.parts
      const isAnswer = answer !== undefined && part?.type === 'text' && part.content === answer
      return message.role === 'user' || isAnswer ? [] : story.status('working', event.at, message)
    }
    case 'artifact': {
      const { artifact, append = false } = event
      return story.artifact({ artifact, append, isPrinted: artifact.kind === 'answer' })
    }
    case 'text-delta':
      return story.answerText(event.text, event.at, answer !== undefined && !event.first)
    case 'progress': {
      const { percent, message } = event
      return [
        {
          type: 'progress',
          ...(percent !== undefined && { percent }),
          ...(message !== undefined && { message }),
        },
      ]
    }
    case 'run':
    case 'usage':
    case 'checkpoint':
    case 'effect':
      return []
  }
}

/** The answer so far; unset if there is none, or if it is more than text. */
function answerTextOf({ artifacts }: Pick<Task, 'artifacts'>): string | undefined {
  const list = artifacts.find(({ id }) => id === answerArtifactId)?.parts
  return list?.length === 1 && list[0]?.type === 'text' ? list[0].content : undefined
}

function nextAnswer(answer: string | undefined, event: TaskEvent): string | undefined {
  if (event.type === 'text-delta') return event.first ? event.text : (answer ?? '') + event.text
  if (event.type !== 'artifact' || event.artifact.id !== answerArtifactId) return answer
  return answerTextOf({ artifacts: [event.artifact] })
}
