// The page: one chat, whose id is in the address.
import type { UIMessage } from 'ai'
import { useState } from 'react'
import { createRoot } from 'react-dom/client'
import { Message } from './message.js'
import { loadChat, useSurvivingChat } from './surviving-chat.js'

function Page({ id, messages }: { id: string; messages: UIMessage[] }) {
  const [files, setFiles] = useState<FileList>()
  const [sent, setSent] = useState(0)
  const chat = useSurvivingChat(id, messages)
  return (
    <main>
      {chat.messages.map((message) => (
        <Message key={message.id} message={message} chat={chat} />
      ))}
      <p role="status">{chat.status}</p>
      {chat.error && <p role="alert">{chat.error.message}</p>}
      <form
        key={sent} // An empty form: to reset this one would empty the list of files that is being read.
        onSubmit={(event) => {
          event.preventDefault()
          const { text } = Object.fromEntries(new FormData(event.currentTarget)) as { text: string }
          void chat.sendMessage({ text, ...(files && { files }) })
          setFiles(undefined)
          setSent(sent + 1)
        }}
      >
        <input name="text" aria-label="Message" required />
        <input
          type="file"
          accept="image/*"
          aria-label="Picture"
          onChange={(event) => setFiles(event.currentTarget.files ?? undefined)}
        />
        <button>Send</button>
        {(chat.status === 'submitted' || chat.status === 'streaming') && (
          <button type="button" onClick={() => void chat.stop()}>
            Stop
          </button>
        )}
      </form>
    </main>
  )
}

const address = new URL(location.href)
const id = address.searchParams.get('chat') ?? crypto.randomUUID()
address.searchParams.set('chat', id)
history.replaceState(null, '', address)
const messages = await loadChat(id)
const root = document.getElementById('root')
if (root) createRoot(root).render(<Page id={id} messages={messages} />)
