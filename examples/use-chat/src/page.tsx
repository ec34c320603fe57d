// The browser half: useChat of the AI SDK, as its documentation shows it.
import { useChat } from '@ai-sdk/react'
import type { PendingQuestion } from '@modelport/runtime'
import {
  DefaultChatTransport,
  generateId,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  type UIMessage,
} from 'ai'
import { useState } from 'react'
import { createRoot } from 'react-dom/client'
import { QuestionForm } from './question.js'

/** The server sends a resumed reply from its first chunk. */
class ReplayTransport extends DefaultChatTransport<UIMessage> {
  override readonly resumeStreamIsReplay = true
}

// A real page loads the messages of a chat from its server; this one keeps them in the browser.
const stored = sessionStorage.getItem('messages')
const initial = stored === null ? [] : (JSON.parse(stored) as UIMessage[])

function Page() {
  const [files, setFiles] = useState<FileList>()
  const chat = useChat({
    id: 'example',
    messages: initial,
    resume: initial.length > 0,
    transport: new ReplayTransport({ api: '/api/chat' }),
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
    onFinish: ({ messages }) => sessionStorage.setItem('messages', JSON.stringify(messages)),
  })
  // `chat.stop` only stops reading; the server stops the model and its tools.
  const stop = async (): Promise<void> => {
    await fetch(`/api/chat/${chat.id}/stop`, { method: 'POST' })
    await chat.stop()
  }
  return (
    <main>
      {chat.messages.map(({ id, role, parts }) => (
        <article key={id} className={role}>
          {parts.map((part, index) => (
            <Part key={index} part={part} parts={parts} chat={chat} />
          ))}
        </article>
      ))}
      <p role="status">{chat.status}</p>
      {chat.error && <p role="alert">{chat.error.message}</p>}
      <form
        onSubmit={(event) => {
          event.preventDefault()
          const { text } = Object.fromEntries(new FormData(event.currentTarget)) as { text: string }
          const message = { id: generateId(), role: 'user', parts: [{ type: 'text', text }] }
          sessionStorage.setItem('messages', JSON.stringify([...chat.messages, message]))
          void chat.sendMessage({ text, ...(files && { files }) })
        }}
      >
        <input name="text" aria-label="Message" />
        <input
          type="file"
          aria-label="Image"
          onChange={(event) => setFiles(event.currentTarget.files ?? undefined)}
        />
        <button>Send</button>
        {(chat.status === 'submitted' || chat.status === 'streaming') && (
          <button type="button" onClick={() => void stop()}>
            Stop
          </button>
        )}
      </form>
    </main>
  )
}

type ChatHelpers = ReturnType<typeof useChat>
type Question = PendingQuestion['question']
interface QuestionPart {
  readonly type: 'data-question'
  readonly id: string
  readonly data: Question
}

interface PartProps {
  readonly part: UIMessage['parts'][number]
  readonly parts: UIMessage['parts']
  readonly chat: ChatHelpers
}

/** What a tool asks: the part `data-question` with the id of the approval. */
const questionOf = (parts: UIMessage['parts'], asked: string): Question | undefined =>
  parts.find((part): part is QuestionPart => part.type === 'data-question' && part.id === asked)
    ?.data

function Part({ part, parts, chat }: PartProps) {
  switch (part.type) {
    case 'text':
      return <p>{part.text}</p>
    case 'reasoning':
      return <aside>{part.text}</aside>
    case 'source-url':
      return <a href={part.url}>{part.title ?? part.url}</a>
    case 'file':
      return <img src={part.url} alt="" />
    case 'dynamic-tool':
      return (
        <section aria-label={`${part.toolName}: ${part.state}`}>
          <code>{JSON.stringify(part.input)}</code>
          {part.state === 'approval-requested' && (
            <Decision
              id={part.approval.id}
              tool={part.toolName}
              question={questionOf(parts, part.approval.id)}
              chat={chat}
            />
          )}
          {part.state === 'output-available' && <output>{JSON.stringify(part.output)}</output>}
          {part.state === 'output-error' && <output>{part.errorText}</output>}
        </section>
      )
    default:
      return null
  }
}

interface DecisionProps {
  readonly id: string
  readonly tool: string
  readonly question: Question | undefined
  readonly chat: ChatHelpers
}

/**
 * Asks the user: for an approval, or what the tool wants to know. The answer travels as JSON in the
 * reason.
 */
function Decision({ id, tool, question, chat }: DecisionProps) {
  const respond = (approved: boolean, content?: object): void =>
    void chat.addToolApprovalResponse({
      id,
      approved,
      ...(content && { reason: JSON.stringify(content) }),
    })
  if (question) return <QuestionForm tool={tool} question={question} respond={respond} />
  return [true, false].map((approved) => (
    <button key={String(approved)} onClick={() => respond(approved)}>
      {approved ? 'Allow' : 'Deny'}
    </button>
  ))
}

const root = document.getElementById('root')
if (root) createRoot(root).render(<Page />)
