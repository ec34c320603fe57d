// The browser half: useChat of the AI SDK, as its documentation shows it.
import { useChat } from '@ai-sdk/react'
import {
  DefaultChatTransport,
  generateId,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  type UIMessage,
} from 'ai'
import { useState } from 'react'
import { createRoot } from 'react-dom/client'

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
  return (
    <main>
      {chat.messages.map(({ id, role, parts }) => (
        <article key={id} className={role}>
          {parts.map((part, index) => (
            <Part key={index} part={part} chat={chat} />
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
        <input type="file" aria-label="Image" onChange={(event) => setFiles(event.currentTarget.files ?? undefined)} />
        <button>Send</button>
      </form>
    </main>
  )
}

type ChatHelpers = ReturnType<typeof useChat>

function Part({ part, chat }: { part: UIMessage['parts'][number]; chat: ChatHelpers }) {
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
          {part.state === 'approval-requested' &&
            [true, false].map((approved) => (
              <button
                key={String(approved)}
                onClick={() => void chat.addToolApprovalResponse({ id: part.approval.id, approved })}
              >
                {approved ? 'Allow' : 'Deny'}
              </button>
            ))}
          {part.state === 'output-available' && <output>{JSON.stringify(part.output)}</output>}
          {part.state === 'output-error' && <output>{part.errorText}</output>}
        </section>
      )
    default:
      return null
  }
}

const root = document.getElementById('root')
if (root) createRoot(root).render(<Page />)
